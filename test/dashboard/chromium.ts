import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'
import { requireDebianPackage } from '../debian-package.ts'

/** The engine without the windows around it: a walk costs a fifth less of the processor than in `chromium`. */
const PACKAGE = 'chromium-headless-shell'
const PATH = `/usr/lib/chromium/${PACKAGE}`
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

let launched: Promise<Browser> | undefined

/**
 * Debian's Chromium, installed when it is missing: a walk through the dashboard is never skipped. The files of one
 * process use one: closing it closes what was opened in it, and `endChromium` ends it.
 */
export async function launchChromium(): Promise<Browser> {
  requireDebianPackage(PACKAGE, () => existsSync(PATH))
  if (!isKept()) return launch()
  launched ??= launch()
  return new Proxy(await launched, {
    get(browser, name: keyof Browser) {
      if (name === 'close') return () => Promise.all(browser.contexts().map((context) => context.close()))
      const member = browser[name]
      return typeof member === 'function' ? member.bind(browser) : member
    },
  })
}

export async function endChromium(): Promise<void> {
  await (await launched)?.close()
}

function launch(): Promise<Browser> {
  return chromium.launch({ executablePath: PATH, args: FLAGS })
}

/** scripts/test.ts says so where it puts several files into one process. */
function isKept(): boolean {
  return process.env['KEEP_CHROMIUM'] !== undefined
}
