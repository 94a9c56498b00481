import { DiagLogLevel, diag } from '@opentelemetry/api'
import { setGlobalErrorHandler } from '@opentelemetry/core'
import type { Log } from '../log.ts'

const EVERY_MS = 60_000

/**
 * What the packages complain about goes to our log, at most once a minute. Of an error only its code: its message may
 * repeat what a receiver has answered.
 */
export function logComplaints(log: Pick<Log, 'warn'>, now: () => number = () => performance.now()): void {
  let lastAt = Number.NEGATIVE_INFINITY
  let unsaid = 0
  const complain = (reason: string) => {
    if (now() - lastAt < EVERY_MS) {
      unsaid += 1
      return
    }
    lastAt = now()
    log.warn({ reason, unsaid }, 'OpenTelemetry data could not be sent and was dropped; calls are not affected')
    unsaid = 0
  }
  setGlobalErrorHandler((error) => complain(reasonOf(error)))
  const silent = () => {}
  const warn = (message: string) => complain(message)
  diag.setLogger(
    { error: warn, warn, info: silent, debug: silent, verbose: silent },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  )
}

function reasonOf(error: unknown): string {
  const { code, name = 'unknown' } = error as { code?: string | number; name?: string }
  return typeof code === 'number' ? `status ${code}` : (code ?? name)
}
