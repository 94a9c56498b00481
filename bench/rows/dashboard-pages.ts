import type { Page } from 'playwright-core'
import { launchChromium } from '../../test/dashboard/chromium.ts'
import { settled, signInByHand, visit } from '../../test/dashboard/visit.ts'
import { ADMIN_KEY } from '../run/gateway.ts'

const PAGES = [
  ...['overview?period=1h', 'overview?period=24h', 'overview?period=7d', 'overview?period=30d'],
  ...[
    'requests',
    'requests?status=error',
    'usage',
    'usage?by=key',
    'catalog',
    'playground',
    'routes',
    'routes/route-3',
  ],
  ...['keys', 'providers', 'registry', 'audit', 'settings'],
]

/** The time until each page is fully loaded, browser and gateway on this machine, in a browser that has visited before. */
export async function timePages(url: string, time: (name: string, run: () => Promise<number>) => Promise<void>) {
  const browser = await launchChromium({ isMeasured: true })
  const { page } = await visit(browser, url, { viewport: { width: 1440, height: 900 } })
  const { files, data } = await firstVisit(page, url)
  process.stdout.write(`first visit: ${files} bytes of files, ${data} bytes of data, compressed\n\n`)
  for (const name of PAGES) {
    await time(name, async () => {
      await page.goto('about:blank')
      const startedAt = performance.now()
      await page.goto(`${url}/dashboard/default/${name}`, { waitUntil: 'commit' })
      await settled(page)
      return performance.now() - startedAt
    })
  }
  await browser.close()
}

/** Bytes over the wire of sign-in and overview in a fresh browser. */
async function firstVisit(page: Page, url: string): Promise<{ files: number; data: number }> {
  const session = await page.context().newCDPSession(page)
  const loaded = { files: 0, data: 0 }
  const kinds = new Map<string, keyof typeof loaded>()
  await session.send('Network.enable')
  session.on('Network.requestWillBeSent', ({ requestId, request }) => {
    kinds.set(requestId, request.url.startsWith(`${url}/dashboard`) ? 'files' : 'data')
  })
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    loaded[kinds.get(requestId) ?? 'data'] += encodedDataLength
  })
  await signInByHand(page, url, ADMIN_KEY)
  await settled(page)
  await session.detach()
  return loaded
}
