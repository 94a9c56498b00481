import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { until } from '../../test/harness.ts'

const PROGRAM = `
import { launch } from '${join(import.meta.dirname, '../../test/child-process.ts')}'
import { endOnSignal } from '${join(import.meta.dirname, 'end-on-signal.ts')}'
endOnSignal()
process.stdout.write(String(launch({ command: process.execPath, args: ['-e', 'setInterval(() => {}, 1000)'] }).pid))
setInterval(() => {}, 1000)
`

for (const [signal, expected] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  test(`${signal} ends what a bench has started, too`, async () => {
    const bench = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const child = Number(String(await once(bench.stdout, 'data')))
    bench.kill(signal)
    const [code] = await once(bench, 'exit')
    assert.equal(code, expected)
    await until(() => !isAlive(child), 'its child has ended')
  })
}

/** A zombie has ended, too. */
function isAlive(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
