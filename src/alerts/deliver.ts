import type { AlertChannel } from '../domain/alerts/channel.ts'
import { type Dial, emailMessage, sendEmail } from './messages/email.ts'
import { PAGERDUTY_URL, pagerDutyMessages } from './messages/pagerduty.ts'
import { slackMessage } from './messages/slack.ts'
import { type Envelope, type HttpMessage, webhookMessage } from './messages/webhook.ts'

/** Sends a request without following redirects. Rejects with a message that holds no secret. */
export type Post = (message: HttpMessage, timeoutMs: number) => Promise<{ status: number }>

/** How messages leave. */
export interface Ways {
  post: Post
  /** To a mail server. */
  dial: Dial
}

const TIMEOUT_MS = 10_000

/** Sends a message; what went wrong in a line without secrets, or null. */
export async function deliver(
  channel: AlertChannel,
  envelope: Envelope,
  { post, dial, now }: Ways & { now(): number },
): Promise<string | null> {
  try {
    if (channel.kind === 'email') {
      await sendEmail(channel, emailMessage(channel.options, envelope), { dial, timeoutMs: TIMEOUT_MS })
      return null
    }
    const replies = httpMessages(channel, envelope, now()).map((message) => post(message, TIMEOUT_MS))
    const refusal = (await Promise.all(replies)).find(({ status }) => status < 200 || status > 299)
    return refusal === undefined ? null : `it answered ${refusal.status}`
  } catch (error) {
    return problemText(error, channel)
  }
}

function httpMessages(channel: AlertChannel, envelope: Envelope, now: number): HttpMessage[] {
  const { url = '' } = channel.options
  const secret = channel.secret ?? ''
  if (channel.kind === 'slack') return [slackMessage(secret, envelope)]
  if (channel.kind === 'pagerduty') return pagerDutyMessages(url || PAGERDUTY_URL, secret, envelope)
  return [webhookMessage(url, channel.secret, envelope, now)]
}

const LONGEST_PROBLEM = 300

/** A mail server may repeat the credentials in its error. */
function problemText(error: unknown, { secret }: AlertChannel): string {
  const text = error instanceof Error ? error.message : String(error)
  const hidden = secret === null || secret === '' ? text : text.replaceAll(secret, '…')
  return hidden.replaceAll(/\s+/g, ' ').slice(0, LONGEST_PROBLEM)
}
