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

/** Milliseconds to a page that can be used, in a browser that has been here before. */
async function timeOf(page: Page, address: string): Promise<number> {
  await page.goto('about:blank')
  const startedAt = performance.now()
  await page.goto(address, { waitUntil: 'commit' })
  await settled(page)
  return performance.now() - startedAt
}

async function firstVisit(page: Page, address: string): Promise<number> {
  const session = await page.context().newCDPSession(page)
  let bytes = 0
  await session.send('Network.enable')
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength
  })
  await signIn(page, address, ADMIN_KEY)
  await settled(page)
  await session.detach()
  return bytes
}

if (!existsSync(values['data-dir'])) await fillFolder(values['data-dir'], Number(values.rows), Number(values.keys))
const gateway = await startOn(values['data-dir'])
const browser = await launchChromium()
const { page } = await visit(browser, gateway.url, { viewport: { width: 1440, height: 900 } })
const bytes = await firstVisit(page, gateway.url)
process.stdout.write(`first visit, sign-in and overview with its data: ${(bytes / 1000).toFixed(0)} kB\n\n`)
process.stdout.write('page                      median      worst\n')
for (const path of PAGES) {
  const times: number[] = []
  for (let round = 0; round < Number(values.rounds); round++) {
    times.push(await timeOf(page, `${gateway.url}/dashboard/default/${path}`))
  }
  times.sort((a, b) => a - b)
  const text = (value: number | undefined) => `${(value ?? 0).toFixed(0)} ms`.padStart(9)
  process.stdout.write(`${path.padEnd(22)} ${text(times[Math.floor(times.length / 2)])}  ${text(times.at(-1))}\n`)
}
await browser.close()
await gateway.stop()
process.exit(0)
