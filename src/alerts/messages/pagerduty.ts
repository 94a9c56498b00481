import type { AlertEvent } from '../../domain/alerts/alert.ts'
import type { Envelope, HttpMessage } from './webhook.ts'
import { TEST_TEXT } from './words.ts'

export const PAGERDUTY_URL = 'https://events.pagerduty.com/v2/enqueue'

/** Events API v2: an event an alert, which its key joins to the same incident however often it arrives. */
export function pagerDutyMessages(url: string, routingKey: string, envelope: Envelope): HttpMessage[] {
  const events = envelope.isTest ? [testEvent(envelope)] : envelope.events
  return events.map((event) => ({
    url,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      routing_key: routingKey,
      event_action: event.state === 'firing' ? 'trigger' : 'resolve',
      dedup_key: event.alertId,
      payload: {
        summary: event.summary,
        source: event.subject,
        severity: event.severity,
        timestamp: new Date(event.resolvedAt ?? event.firedAt).toISOString(),
        component: 'switchyard',
        class: event.rule,
        ...(event.workspace === null ? {} : { group: event.workspace }),
      },
    }),
  }))
}

/** Resolved already: a test opens no incident. */
function testEvent({ id, at }: Envelope): AlertEvent {
  return {
    alertId: id,
    state: 'resolved',
    rule: 'budget',
    severity: 'info',
    subject: 'switchyard',
    workspace: null,
    summary: TEST_TEXT,
    firedAt: at,
    resolvedAt: at,
  }
}
