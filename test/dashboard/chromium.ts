import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'
import { requireDebianPackage } from '../debian-package.ts'

const PATH = '/usr/bin/chromium'
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Debian's Chromium, installed when it is missing: a walk through the dashboard is never skipped. */
export async function launchChromium(): Promise<Browser> {
  requireDebianPackage('chromium', () => existsSync(PATH))
  return chromium.launch({ executablePath: PATH, args: FLAGS })
}
