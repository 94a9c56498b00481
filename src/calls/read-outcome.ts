import type { WrittenAnswer } from '../bodies/protocol.ts'
import type { ChatRequest } from '../domain/chat.ts'
import { type Failure, failure } from '../domain/failure.ts'
import { headerWords, type Provider } from '../domain/provider.ts'
import { retryAfterMs } from '../domain/retry-after.ts'
import type { Answer, Family } from '../providers/family.ts'
import { readReply } from '../providers/read-reply.ts'
import { NOT_HTTP } from '../upstream/connection.ts'
import type { Breakdown, Stoppage } from '../upstream/exchange.ts'
import { bodyOf, type UpstreamReply } from '../upstream/whole-response.ts'

/** What an upstream call came to, by meaning. */
export type Outcome =
  | { kind: 'answered'; answer: Answer | WrittenAnswer }
  | { kind: 'failed'; failure: Failure }
  | { kind: 'caller-left' }

export interface Reader {
  provider: Provider
  family: Family
  request: ChatRequest
  now: number
}

export function readOutcome(raw: UpstreamReply | Breakdown, reader: Reader): Outcome {
  const known = outcomeWithoutBody(raw, reader)
  if (known !== null || raw.kind !== 'reply') return known ?? { kind: 'caller-left' }
  return outcomeOf(readReply(raw.status, bodyOf(raw), reader), raw, reader.now)
}

/** What can be said before a body is looked at; null where it must be. */
export function outcomeWithoutBody(raw: UpstreamReply | Breakdown, { provider }: Reader): Outcome | null {
  if (raw.kind === 'caller-left') return { kind: 'caller-left' }
  if (raw.kind !== 'reply') return { kind: 'failed', failure: failureOfBreakdown(raw) }
  const type = headerText(raw, 'content-type')
  const isAnswer = raw.status >= 200 && raw.status <= 299
  if (!isAnswer || type === undefined || /\bjson\b/i.test(type)) return null
  return unusable(`answered with ${wordsOf(raw, 'content-type', provider)}`, raw.status)
}

type Read<T> = { kind: 'answer'; answer: T } | { kind: 'failure'; failure: Failure } | { kind: 'unreadable' }

export function outcomeOf(read: Read<Answer | WrittenAnswer>, raw: UpstreamReply, now: number): Outcome {
  switch (read.kind) {
    case 'answer':
      return { kind: 'answered', answer: read.answer }
    case 'failure':
      return { kind: 'failed', failure: withHeaders(read.failure, raw, now) }
    case 'unreadable':
      return unusable(raw.bytes === 0 ? 'sent an empty answer' : 'sent JSON that cannot be read', raw.status)
  }
}

function unusable(what: string, status: number): Outcome {
  return { kind: 'failed', failure: failure('upstream_error', `The provider ${what}.`, status, { retry: 'once' }) }
}

/** A request that the provider may have worked on is not sent to it again: it may have been billed. */
function failureOfBreakdown(breakdown: Stoppage): Failure {
  switch (breakdown.kind) {
    case 'timeout':
      return breakdown.phase === 'connect'
        ? failure('upstream_timeout', 'The connection to the provider was not made in time.', null, { retry: 'yes' })
        : failure('upstream_timeout', 'The provider did not answer in time.', null)
    case 'unreachable':
      return failure('upstream_error', `The provider cannot be reached (${breakdown.detail}).`, null)
    case 'broken':
      if (breakdown.detail === NOT_HTTP) {
        return failure('upstream_error', 'The answer of the provider is not valid HTTP.', null, { retry: 'no' })
      }
      return breakdown.sent
        ? failure('upstream_error', 'The provider broke off the connection.', null, { retry: 'no' })
        : failure('upstream_error', 'The connection to the provider broke before the request was sent.', null)
    case 'refused-address':
      return failure('upstream_error', "The provider's address may not be called.", null, { retry: 'never' })
    case 'too-large':
      return failure('upstream_error', 'The answer of the provider is too large.', null, { retry: 'no' })
  }
}

function withHeaders(failed: Failure, reply: UpstreamReply, now: number): Failure {
  const verdict = headerText(reply, 'x-should-retry')
  const wait = retryAfterMs(
    { 'retry-after-ms': headerText(reply, 'retry-after-ms'), 'retry-after': headerText(reply, 'retry-after') },
    now,
  )
  const shouldRetry = verdict === 'true' ? true : verdict === 'false' ? false : null
  return { ...failed, retryAfterMs: wait, shouldRetry }
}

/** What a provider says in a header, fit to be kept and shown. */
export function wordsOf(reply: UpstreamReply, name: string, provider: Provider): string | null {
  return headerWords(headerText(reply, name) ?? '', provider) || null
}

function headerText(reply: UpstreamReply, name: string): string | undefined {
  return reply.headers.get(name)
}
