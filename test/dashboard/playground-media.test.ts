import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { ADMIN_KEY, type Harness, startHarness } from '../harness.ts'
import { wav } from '../sounds.ts'
import { launchChromium } from './chromium.ts'
import { assertAccessible, openPage, signIn, type Visit, visit } from './visit.ts'

const CONFIG = `
providers:
  local: { family: openai, base_url: "\${SIMULATED}", api_key: local-key }
workspaces:
  default:
    routes:
      draw: { chain: [{ provider: local, model: gpt-image-2 }] }
      say: { chain: [{ provider: local, model: tts-1 }] }
      hear: { chain: [{ provider: local, model: whisper-1 }] }
      broken: { chain: [{ provider: local, model: tts-1-sim-500, retries: 0 }] }
`

describe('what is made in the playground', () => {
  let harness: Harness
  let browser: Browser
  let walk: Visit
  let page: Page
  before(async () => {
    harness = await startHarness({ config: CONFIG })
    browser = await launchChromium()
    walk = await visit(browser, harness.url, { colorScheme: 'dark' })
    page = walk.page
    await signIn(page, harness.url, ADMIN_KEY, '/dashboard/default/playground')
  })
  after(async () => {
    await browser.close()
    await harness.stop()
  })

  const open = (kind: string, model: string) =>
    openPage(page, `/dashboard/default/playground?kind=${kind}&model=${model}`)
  const lastRow = async () => (await harness.rows()).at(-1)
  const keep = async (name: string) => {
    const folder = process.env['SCREENSHOTS']
    if (folder !== undefined) await page.screenshot({ path: `${folder}/playground-${name}.png`, fullPage: true })
  }
  const downloaded = async () => {
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download' }).click(),
    ])
    return file.suggestedFilename()
  }

  test('an image is shown and can be kept, by keyboard alone', async () => {
    await page.getByRole('radiogroup', { name: 'What to make' }).getByText('Image').click()
    await page.waitForURL(/kind=images/)
    await open('images', 'draw')
    await page.getByLabel('Prompt').fill('A red balloon')
    await page.getByLabel('Prompt').press('Control+Enter')
    await page.getByRole('img', { name: 'Made by the model' }).waitFor()
    await page.getByText('local · gpt-image-2').waitFor()
    await assertAccessible(page, 'an image')
    await keep('image-dark')
    await page.getByRole('link', { name: 'Download' }).focus()
    const [file] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')])
    assert.match(file.suggestedFilename(), /^image-1\.(png|jpeg|webp)$/)
    assert.equal((await lastRow())?.['endpoint'], 'images')
    assert.equal((await harness.rows()).length, 1, 'the shortcut sends once')
  })

  test('a speech is heard and can be kept', async () => {
    await open('speech', 'say')
    await page.getByLabel('Text').fill('The train leaves at ten.')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByLabel('The speech').waitFor()
    await assertAccessible(page, 'a speech')
    await keep('speech-dark')
    assert.equal(await downloaded(), 'speech.mp3')
    const row = await lastRow()
    assert.deepEqual([row?.['endpoint'], row?.['uses']], ['speech', '{"character":24}'])
  })

  test('a file is written down, on a phone; the browser keeps neither file nor text', async () => {
    await page.setViewportSize({ width: 390, height: 844 })
    await page.emulateMedia({ colorScheme: 'light' })
    await open('transcriptions', 'hear')
    await page.getByText('Choose a file.').waitFor()
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.getByLabel('Sound').click()])
    await chooser.setFiles({ name: 'talk.wav', mimeType: 'audio/wav', buffer: wav(2) })
    await page.getByText('Ctrl + Enter sends').waitFor()
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText('Served by').waitFor()
    await assertAccessible(page, 'a transcript on a phone')
    await keep('transcript-phone')
    assert.equal(await downloaded(), 'transcript.txt')
    const row = await lastRow()
    assert.deepEqual([row?.['endpoint'], row?.status], ['transcriptions', 200])
    assert.equal(
      await page.evaluate('/talk|balloon|leaves/.test(JSON.stringify(sessionStorage) + JSON.stringify(localStorage))'),
      false,
    )
  })

  test('an error is told in its words', async () => {
    await open('speech', 'broken')
    await page.getByLabel('Text').fill('hello')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByRole('alert').waitFor()
    await assertAccessible(page, 'a speech that failed')
  })

  test('nothing went wrong behind the page', () => walk.assertQuiet())
})
