import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { type Demo, startDemo } from '../../demo/start.ts'
import { launchChromium } from './chromium.ts'
import { assertAccessible, openPage, settled, signIn, signInByHand, visit } from './visit.ts'

/** Every page and what opens on it, with the demo's month of data. */
const PLACES = [
  'overview?period=30d',
  'requests',
  'usage?by=key',
  'usage?workspaces=all',
  'budgets',
  'reconciliation',
  'performance?period=7d',
  'alerts',
  'catalog',
  'catalog/fast',
  'playground',
  'routes',
  'routes/fast',
  'keys',
  'providers',
  'providers/edge',
  'registry',
  'registry/openai/gpt-5.4-mini',
  'audit',
  'settings/admin-keys',
  'settings/configuration',
]

/** Both at once: the light and the wide are what the walks through the pages see. */
const LOOKS = [{ name: 'on a phone, in the dark', colorScheme: 'dark', viewport: { width: 390, height: 844 } }] as const

/** What the first visit may load, compressed, before it has shown anything of the log. */
const MOST_BYTES = 300_000

describe('every page with a month of data', () => {
  let demo: Demo
  let browser: Browser
  before(async () => {
    demo = await startDemo({ port: 0, traffic: false })
    browser = await launchChromium()
  })
  after(async () => {
    await browser?.close()
    await demo?.stop()
  })

  for (const { name, ...look } of LOOKS) {
    test(`${name}: axe finds nothing, nothing scrolls sideways, nothing goes wrong behind it`, async () => {
      const { page, assertQuiet, close } = await visit(browser, demo.url, look)
      await signIn(page, demo.url, demo.adminKey)
      for (const place of PLACES) {
        await openPage(page, `/dashboard/default/${place}`)
        await settled(page)
        await assertAccessible(page, `${place} ${name}`)
        const beyond = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth')
        assert.ok(Number(beyond) <= 0, `${place} ${name} is ${beyond} pixels too wide`)
      }
      assertQuiet()
      await close()
    })
  }

  test('the first visit loads little', async () => {
    const { page, close } = await visit(browser, demo.url)
    const bytes = await bytesOfFiles(page, async () => {
      await signInByHand(page, demo.url, demo.adminKey)
      await settled(page)
    })
    assert.ok(bytes > 100_000 && bytes < MOST_BYTES, `${bytes} bytes`)
    await close()
  })

  async function bytesOfFiles(page: Page, visitPage: () => Promise<void>): Promise<number> {
    const session = await page.context().newCDPSession(page)
    const files = new Set<string>()
    let bytes = 0
    await session.send('Network.enable')
    session.on('Network.requestWillBeSent', ({ requestId, request }) => {
      if (request.url.startsWith(`${demo.url}/dashboard`)) files.add(requestId)
    })
    session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      if (files.has(requestId)) bytes += encodedDataLength
    })
    await visitPage()
    return bytes
  }
})
