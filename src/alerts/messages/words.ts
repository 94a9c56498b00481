import type { AlertEvent } from '../../domain/alerts/alert.ts'
import type { Envelope } from './webhook.ts'

export function subjectLine({ events, isTest }: Envelope): string {
  const [first] = events
  if (isTest || first === undefined) return 'Switchyard: test message'
  return events.length === 1 ? `Switchyard: ${line(first)}` : `Switchyard: ${events.length} alerts`
}

/** One line an alert. */
export function line({ state, severity, summary }: AlertEvent): string {
  return state === 'resolved' ? `Resolved: ${summary}` : `${severity.toUpperCase()}: ${summary}`
}

export const TEST_TEXT = 'This is a test message of Switchyard. Alerts will arrive here.'
