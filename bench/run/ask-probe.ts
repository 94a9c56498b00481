import { existsSync, readFileSync, rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

const REPORT_WITHIN_MS = 5_000

/** What a probe that was loaded into the process writes to its report when it gets SIGUSR2. */
export async function askProbe(pid: number, report: string): Promise<number> {
  rmSync(report, { force: true })
  process.kill(pid, 'SIGUSR2')
  for (let waited = 0; !existsSync(report); waited += 20) {
    if (waited > REPORT_WITHIN_MS) throw new Error('the watched process does not report')
    await sleep(20)
  }
  return Number(readFileSync(report, 'utf8'))
}
