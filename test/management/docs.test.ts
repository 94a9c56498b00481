import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { describe, test } from 'node:test'
import { promisify } from 'node:util'
import { CONFIG } from '../../demo/config.ts'
import { CONTRACT } from '../../src/management/contract/contract.ts'
import { PROGRAM } from '../built-program.ts'
import { COMPILE_CACHE } from '../compile-cache.ts'
import { ADMIN_KEY, KEY, startHarness } from '../harness.ts'
import { leaveUnconfirmed, logUnanswered } from './manage.ts'

const run = promisify(execFile)
const pages = globSync('docs/management/*.md').sort()

/** `switchyard` as installed, and a curl that fails where the API says no. */
const PRELUDE = `
set -euo pipefail
switchyard() { '${process.execPath}' '${PROGRAM}' "$@"; }
curl() { command curl --silent --show-error --fail-with-body "$@"; }
`

function shellLines(page: string): string {
  return [...readFileSync(page, 'utf8').matchAll(/^```sh\n(.*?)^```/gms)].map((match) => match[1]).join('\n')
}

describe('every line of the management pages works as pasted, in order, on a fresh gateway', () => {
  for (const page of pages) {
    test(basename(page), async () => {
      const harness = await startHarness({
        // The pages speak of the routes of the demo.
        config: CONFIG,
        environment: { SIMULATED_LOCAL: 'http://127.0.0.1:9/v1', SECRETS_KEY: 'a-key-for-stored-content' },
      })
      try {
        if (basename(page) === 'budgets.md') await leaveUnconfirmed(harness)
        if (basename(page) === 'reconciliation.md') await logUnanswered(harness)
        const environment = {
          ...COMPILE_CACHE,
          PATH: process.env['PATH'],
          HOME: harness.folder,
          URL: harness.url,
          SWITCHYARD_URL: harness.url,
          ADMIN_KEY,
          GATEWAY_KEY: KEY,
        }
        await run('bash', ['-c', PRELUDE + shellLines(page)], {
          cwd: harness.folder,
          env: environment,
          timeout: 600_000,
        })
      } finally {
        await harness.stop()
      }
    })
  }
})

/** The text under a heading, up to the next one. */
function sections(): string[] {
  return pages.flatMap((page) => readFileSync(page, 'utf8').split(/^(?=#+ )/m))
}

describe('every operation is shown under a heading of its own, with a curl and a command line', () => {
  for (const [name, { method, path }] of Object.entries(CONTRACT)) {
    test(name, () => {
      const shown = sections().filter((section) => section.split('\n', 1)[0]?.includes(`\`${method} ${path}\``))
      assert.equal(shown.length, 1, `\`${method} ${path}\` stands in ${shown.length} headings`)
      const lines = [...(shown[0] ?? '').matchAll(/^```sh\n(.*?)^```/gms)].map((match) => match[1]).join('\n')
      assert.match(lines, /\bcurl /)
      assert.match(lines, /\bswitchyard /)
    })
  }
})
