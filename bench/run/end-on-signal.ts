import { constants } from 'node:os'

/** A signal ends Node without `exit`, which would leave the children running: so it becomes an exit like any other. */
export function endOnSignal(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => process.exit(128 + constants.signals[signal]))
  }
}
