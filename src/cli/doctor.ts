import { runChecks } from '../doctor/doctor.ts'
import type { Given } from './command.ts'

/** Each line ✓, or ✗ with what to do; 1 when there is one to do. */
export async function doctor({ environment, output }: Given): Promise<number> {
  const checks = await runChecks(environment)
  const failed = checks.filter(({ ok }) => !ok).length
  if (output.isJson) output.json({ ok: failed === 0, checks })
  else {
    const width = Math.max(...checks.map(({ name }) => name.length))
    for (const { ok, name, message } of checks) {
      output.line(`${ok ? output.good('✓') : output.bad('✗')} ${name.padEnd(width)}  ${message}`)
    }
    output.line(failed === 0 ? 'No problems found.' : `${failed} to fix.`)
  }
  return failed === 0 ? 0 : 1
}
