import { constants } from 'node:os'

/** A signal ends Node without an `exit`, and with it nobody ends the children: so it is an exit like any other. */
export function endOnSignal(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => process.exit(128 + constants.signals[signal]))
  }
}
