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
/** A page of a walk lives too short for its scripts to be compiled again and again, or its memory to be swept in bits. */
const SHORT_LIVED = '--js-flags=--no-opt,--no-maglev,--min-semi-space-size=16'

let launched: Promise<Browser> | undefined

/**
 * Debian's Chromium, installed when it is missing: a walk through the dashboard is never skipped. The files of one
 * process use one: closing it closes what was opened in it, and `endChromium` ends it.
 * `isMeasured`: as it is for people, for a time that is published.
 */
export async function launchChromium(options = { isMeasured: false }): Promise<Browser> {
  requireDebianPackage(PACKAGE, () => existsSync(PATH))
  if (!isKept()) return launch(options)
  launched ??= launch(options)
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

function launch({ isMeasured }: { isMeasured: boolean }): Promise<Browser> {
  return chromium.launch({ executablePath: PATH, args: isMeasured ? FLAGS : [...FLAGS, SHORT_LIVED] })
}

/** scripts/test.ts says so where it puts several files into one process. */
function isKept(): boolean {
  return process.env['KEEP_CHROMIUM'] !== undefined
}
