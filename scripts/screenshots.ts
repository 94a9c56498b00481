import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Browser, Page } from 'playwright-core'
import { startDemo } from '../demo/start.ts'
import { launchChromium } from '../test/dashboard/chromium.ts'
import { settled, signIn, visit } from '../test/dashboard/visit.ts'

/**
 * Screenshots of every page with the demo's data, light and dark, desktop and phone, into `screenshots/`; `--docs` puts
 * those used in README and docs into docs/images/. Gateway and browser use a fixed time, so that two runs look the
 * same.
 */
const NOW = Date.UTC(2026, 10, 12, 15, 40)

/** The ones for README and docs. */
const IN_DOCS = [
  'overview-desktop-light',
  'overview-desktop-dark',
  'request-desktop-light',
  'request-desktop-dark',
  'usage-desktop-light',
  'catalog-desktop-light',
  'route-desktop-light',
  'keys-desktop-dark',
  'registry-model-desktop-light',
  'playground-desktop-dark',
  'overview-phone-light',
  'request-phone-dark',
]

interface Picture {
  name: string
  /** Below /dashboard/default/. */
  path: string
  /** What to do before the screenshot. */
  prepare?: (page: Page) => Promise<void>
}

const PICTURES: Picture[] = [
  { name: 'overview', path: 'overview?period=7d' },
  { name: 'requests', path: 'requests' },
  { name: 'request', path: 'requests?fallback=true', prepare: openFirstRow },
  { name: 'usage', path: 'usage' },
  { name: 'catalog', path: 'catalog' },
  { name: 'playground', path: 'playground?model=fast', prepare: askSomething },
  { name: 'routes', path: 'routes' },
  { name: 'route', path: 'routes/fast' },
  { name: 'keys', path: 'keys' },
  { name: 'providers', path: 'providers' },
  { name: 'registry', path: 'registry' },
  { name: 'registry-model', path: 'registry/openai/gpt-5.4-mini' },
  { name: 'audit', path: 'audit' },
  { name: 'settings', path: 'settings' },
]

const LOOKS = [
  { name: 'desktop-light', width: 1440, height: 900, scale: 1, colorScheme: 'light' },
  { name: 'desktop-dark', width: 1440, height: 900, scale: 1, colorScheme: 'dark' },
  { name: 'phone-light', width: 390, height: 844, scale: 2, colorScheme: 'light' },
  { name: 'phone-dark', width: 390, height: 844, scale: 2, colorScheme: 'dark' },
] as const

async function openFirstRow(page: Page): Promise<void> {
  await page.locator('tbody .row-link').first().click()
  await page.waitForURL('**/requests/chatcmpl_*')
}

async function askSomething(page: Page): Promise<void> {
  await page.getByPlaceholder('What do you want to know?').fill('Write a haiku about queues.')
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByText('Served by').waitFor()
}

async function takePictures(browser: Browser, demo: { url: string; adminKey: string }, folder: string): Promise<void> {
  for (const look of LOOKS) {
    const { page, close } = await visit(browser, demo.url, {
      viewport: { width: look.width, height: look.height },
      deviceScaleFactor: look.scale,
      colorScheme: look.colorScheme,
      reducedMotion: 'reduce',
    })
    await page.clock.setFixedTime(NOW)
    await page.goto(`${demo.url}/dashboard`)
    await page.getByLabel('Admin key').waitFor()
    await page.screenshot({ path: join(folder, `sign-in-${look.name}.png`) })
    await signIn(page, demo.url, demo.adminKey)
    for (const picture of PICTURES) {
      await page.goto(`${demo.url}/dashboard/default/${picture.path}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await drawn(page)
      await picture.prepare?.(page)
      await drawn(page)
      await page.screenshot({ path: join(folder, `${picture.name}-${look.name}.png`) })
      process.stderr.write(`${picture.name}-${look.name}\n`)
    }
    await close()
  }
}

/** Charts are drawn once they know their width. */
async function drawn(page: Page): Promise<void> {
  await settled(page)
  await page.waitForTimeout(400)
}

const { values } = parseArgs({
  options: { out: { type: 'string', default: 'screenshots' }, docs: { type: 'boolean', default: false } },
})
mkdirSync(values.out, { recursive: true })
const demo = await startDemo({ port: 0, traffic: false, now: NOW })
const browser = await launchChromium()
try {
  await takePictures(browser, demo, values.out)
  const images = join(import.meta.dirname, '../docs/images')
  mkdirSync(images, { recursive: true })
  for (const name of values.docs ? IN_DOCS : [])
    copyFileSync(join(values.out, `${name}.png`), join(images, `${name}.png`))
} finally {
  await browser.close()
  await demo.stop()
}
process.exit(0)
