import { createHmac } from 'node:crypto'
import type { Attribution } from '../../domain/attribution.ts'
import type { Guardrail } from '../../domain/content/guardrail.ts'

export interface Question {
  phase: 'before' | 'after'
  requestId: string
  workspace: string
  endpoint: string
  /** Null for a direct model id. */
  route: string | null
  model: string
  keyId: string
  /** As the row has them. */
  attribution: Pick<Attribution, 'user' | 'session' | 'tags'>
  /** JSON as it is: the request, or the answer. */
  body: Uint8Array | string
}

/** The question with the body's bytes as received, neither parsed nor serialized again. */
export function questionBytes({ phase, body, ...question }: Question): Buffer {
  const { requestId: request_id, workspace, endpoint, route, model, keyId: key_id } = question
  const { user, session, tags } = question.attribution
  const call = { request_id, workspace, endpoint, route, model, key_id, user, session, tags }
  const head = JSON.stringify({ type: `guardrail.${phase}`, ...call })
  return Buffer.concat([Buffer.from(`${head.slice(0, -1)},"body":`), Buffer.from(body), Buffer.from('}')])
}

/** By Standard Webhooks, as alerts are signed. `now`: Unix milliseconds. */
export function signedHeaders(id: string, body: Uint8Array, { secrets }: Pick<Guardrail, 'secrets'>, now: number) {
  const timestamp = String(Math.floor(now / 1000))
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`
  })
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') }
}
