import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { Page } from 'playwright-core'
import { launchChromium } from '../test/dashboard/chromium.ts'
import { settled, signIn, visit } from '../test/dashboard/visit.ts'
import { ADMIN_KEY, fillFolder, startOn } from './million.ts'

/**
 * How long every page of the dashboard takes until it can be used, with a long request log, gateway and browser on this
 * one machine: from the address to the moment at which nothing on the page is loading any more. And what the first visit
 * loads, compressed.
 */
const { values } = parseArgs({
  options: {
    'data-dir': { type: 'string', default: '/tmp/switchyard-million' },
    rows: { type: 'string', default: '1000000' },
    keys: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '5' },
  },
})

const PAGES = [
  'overview?period=1h',
  'overview?period=24h',
  'overview?period=7d',
  'overview?period=30d',
  'requests',
  'requests?status=error',
  'usage',
  'usage?by=key',
  'catalog',
  'playground',
  'routes',
  'routes/route-3',
  'keys',
  'providers',
  'registry',
  'audit',
  'settings',
]

/** Milliseconds to a page that can be used, opened by its address in a browser that has been here before. */
async function timeByAddress(page: Page, address: string): Promise<number> {
  await page.goto('about:blank')
  const startedAt = performance.now()
  await page.goto(address, { waitUntil: 'commit' })
  await settled(page)
  return performance.now() - startedAt
}

/** The same from another page of the dashboard, as a click on a link does it. */
async function timeByLink(page: Page, address: string): Promise<number> {
  const { pathname, search } = new URL(address)
  const title = () => page.evaluate("document.querySelector('h1')?.textContent")
  const before = await title()
  const startedAt = performance.now()
  await page.evaluate(`history.pushState(null, '', ${JSON.stringify(pathname + search)})`)
  while ((await title()) === before) await new Promise((resolve) => setTimeout(resolve, 5))
  await settled(page)
  return performance.now() - startedAt
}

interface Loaded {
  files: number
  data: number
}

/** Bytes as they came over the wire: sign-in and overview in a browser that has never been here. */
async function firstVisit(page: Page, address: string): Promise<Loaded> {
  const session = await page.context().newCDPSession(page)
  const loaded: Loaded = { files: 0, data: 0 }
  const kinds = new Map<string, keyof Loaded>()
  await session.send('Network.enable')
  session.on('Network.requestWillBeSent', ({ requestId, request }) => {
    kinds.set(requestId, request.url.startsWith(`${address}/dashboard`) ? 'files' : 'data')
  })
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    loaded[kinds.get(requestId) ?? 'data'] += encodedDataLength
  })
  await signIn(page, address, ADMIN_KEY)
  await settled(page)
  await session.detach()
  return loaded
}

function figures(times: number[]): string {
  const sorted = times.toSorted((a, b) => a - b)
  const text = (value: number | undefined) => `${(value ?? 0).toFixed(0)} ms`.padStart(8)
  return `${text(sorted[Math.floor(sorted.length / 2)])} ${text(sorted.at(-1))}`
}

async function rounds(measure: () => Promise<number>): Promise<string> {
  const times: number[] = []
  for (let round = 0; round < Number(values.rounds); round++) times.push(await measure())
  return figures(times)
}

if (!existsSync(values['data-dir'])) await fillFolder(values['data-dir'], Number(values.rows), Number(values.keys))
const gateway = await startOn(values['data-dir'])
const browser = await launchChromium()
const { page } = await visit(browser, gateway.url, { viewport: { width: 1440, height: 900 } })
const { files, data } = await firstVisit(page, gateway.url)
const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(0)} kB`
process.stdout.write(`first visit: ${kilobytes(files)} of files, ${kilobytes(data)} of data\n\n`)
process.stdout.write('                        by address          by a link\n')
process.stdout.write('page                    median    worst     median    worst\n')
for (const path of PAGES) {
  const address = `${gateway.url}/dashboard/default/${path}`
  const byAddress = await rounds(() => timeByAddress(page, address))
  const byLink = await rounds(async () => {
    await timeByLink(page, `${gateway.url}/dashboard/default/${path === 'settings' ? 'providers' : 'settings'}`)
    return timeByLink(page, address)
  })
  process.stdout.write(`${path.padEnd(22)}${byAddress}   ${byLink}\n`)
}
await browser.close()
await gateway.stop()
process.exit(0)
