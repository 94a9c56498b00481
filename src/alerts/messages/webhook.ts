import { createHmac } from 'node:crypto'
import type { AlertEvent } from '../../domain/alerts/alert.ts'

/** One HTTP request; what is sent again has the same id. */
export interface HttpMessage {
  url: string
  headers: Record<string, string>
  body: string
}

export interface Envelope {
  /** Of the message. */
  id: string
  /** Unix milliseconds: when it was decided. */
  at: number
  events: readonly AlertEvent[]
  isTest: boolean
}

/** By Standard Webhooks (standardwebhooks.com), so that receivers have a library that verifies it. */
export function webhookMessage(url: string, secret: string | null, envelope: Envelope, now: number): HttpMessage {
  const { id, at, events, isTest } = envelope
  const timestamp = String(Math.floor(now / 1000))
  const body = JSON.stringify({
    type: isTest ? 'alerts.test' : 'alerts',
    timestamp: new Date(at).toISOString(),
    data: { alerts: events.map(alertJson) },
  })
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'user-agent': 'switchyard',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
  }
  if (secret !== null) headers['webhook-signature'] = `v1,${signature(secret, `${id}.${timestamp}.${body}`)}`
  return { url, headers, body }
}

/** The secret is `whsec_` and base64. */
function signature(secret: string, text: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  return createHmac('sha256', key).update(text).digest('base64')
}

function alertJson(event: AlertEvent) {
  return {
    id: event.alertId,
    state: event.state,
    rule: event.rule,
    severity: event.severity,
    subject: event.subject,
    workspace: event.workspace,
    summary: event.summary,
    fired_at: new Date(event.firedAt).toISOString(),
    resolved_at: event.resolvedAt === null ? null : new Date(event.resolvedAt).toISOString(),
  }
}
