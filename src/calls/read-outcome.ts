import { LARGE_BYTES } from '../bodies/bodies.ts'
import { outlineFor } from '../bodies/outline.ts'
import type { ReadAnswer, WrittenAnswer } from '../bodies/protocol.ts'
import { ERRORS } from '../domain/errors.ts'
import { type Failure, failure } from '../domain/failure.ts'
import { headerWords, type Provider } from '../domain/provider.ts'
import type { Answer } from '../domain/request/answer.ts'
import type { StreamUsage } from '../domain/request/stream.ts'
import { retryAfterMs } from '../domain/retry-after.ts'
import { named, type Worded, worded } from '../domain/wording/worded.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import type { Family } from '../providers/family.ts'
import { readReply } from '../providers/read-reply.ts'
import type { Breakdown } from '../upstream/exchange.ts'
import type { UpstreamAnswer } from '../upstream/streamed-response.ts'
import { bodyOf, type UpstreamReply } from '../upstream/whole-response.ts'
import { stampOf } from './answer.ts'
import { failureOfBreakdown } from './breakdown.ts'
import type { Candidate } from './chain/assess.ts'
import type { Deps } from './deps.ts'
import type { Received } from './stages.ts'
import type { LiveStream } from './stream/live-stream.ts'

/** The outcome of an upstream call, by meaning. */
export type Outcome =
  | { kind: 'answered'; answer: Answer | WrittenAnswer }
  /** Its first content has arrived. */
  | { kind: 'streaming'; stream: LiveStream }
  | { kind: 'failed'; failure: Failure }
  /** `usage`: what a stream had counted until then. */
  | { kind: 'caller-left'; usage?: StreamUsage | null }

/** An upstream call and its outcome. */
export interface Asked {
  raw: UpstreamReply | UpstreamAnswer | Breakdown
  outcome: Outcome
  /** `performance.now()` when the answer, or its first content, had arrived. */
  ended: number
}

/** Reads an answer; a large one in the worker. */
export function readOutcome(
  raw: UpstreamReply | Breakdown,
  candidate: Candidate,
  call: Received,
  deps: Pick<Deps, 'bodies' | 'log' | 'now' | 'sealingKeys'>,
): Outcome | Promise<Outcome> {
  const isLarge = raw.kind === 'reply' && raw.bytes >= LARGE_BYTES
  if (!isLarge) return readInPlace(raw, candidate, call, deps)
  return outcomeWithoutBody(raw, candidate, call.endpoint) ?? readLarge(raw, candidate, call, deps)
}

export function readInPlace(
  raw: UpstreamReply | Breakdown,
  candidate: Candidate,
  { body: { request }, endpoint }: Received,
  { now }: Pick<Deps, 'now'>,
): Outcome {
  const { provider, family, translator, entry } = candidate
  const { model } = entry
  const known = outcomeWithoutBody(raw, candidate, endpoint)
  if (known !== null || raw.kind !== 'reply') return known ?? { kind: 'caller-left' }
  const header = (name: string) => raw.headers.get(name)
  const reader = { provider, family, translator, request, model, header }
  return outcomeOf(readReply(raw.status, bodyOf(raw), reader), raw, now())
}

async function readLarge(
  raw: UpstreamReply,
  { provider, family, entry }: Candidate,
  call: Received,
  deps: Pick<Deps, 'bodies' | 'log' | 'now' | 'sealingKeys'>,
): Promise<Outcome> {
  const { bodies, log, now } = deps
  const { status, pieces } = raw
  const { endpoint, body } = call
  const reply = {
    status,
    family: provider.family,
    provider,
    model: entry.model,
    headers: telling(raw, family),
    endpoint: endpoint.name,
    request: outlineFor(endpoint, body.request),
  }
  try {
    const stamp = stampOf(call, entry, deps)
    return outcomeOf(await bodies.readLarge(pieces, { ...reply, stamp }, call.key.id), raw, now())
  } catch (error) {
    log.error({ request: call.id, err: error })
    return { kind: 'failed', failure: failure('internal_error', worded`${named(ERRORS.internal_error.text)}`, status) }
  }
}

function telling({ headers }: UpstreamReply, { failureHeaders = [] }: Family): Record<string, string> {
  return Object.fromEntries(
    failureHeaders.flatMap((name) => {
      const value = headers.get(name)
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

/** What is known before the body is read; null where it must be read. */
function outcomeWithoutBody(
  raw: UpstreamReply | Breakdown,
  { provider, translator }: Candidate,
  { asksOnce }: Endpoint,
): Outcome | null {
  if (raw.kind === 'caller-left') return { kind: 'caller-left' }
  if (raw.kind !== 'reply') return { kind: 'failed', failure: failureOfBreakdown(raw, asksOnce) }
  const type = raw.headers.get('content-type')
  const isAnswer = raw.status >= 200 && raw.status <= 299
  if (!isAnswer || type === undefined || /\bjson\b/i.test(type)) return null
  if (translator.textOf !== undefined && /^text\/(plain|vtt)\b|^application\/(x-)?subrip\b/i.test(type)) return null
  return unusable(worded`answered with ${wordsOf(raw, 'content-type', provider) ?? 'another type'}`, raw.status)
}

function outcomeOf(read: ReturnType<typeof readReply> | ReadAnswer, raw: UpstreamReply, now: number): Outcome {
  switch (read.kind) {
    case 'answer':
      return { kind: 'answered', answer: read.answer }
    case 'failure':
      return { kind: 'failed', failure: withHeaders(read.failure, raw, now) }
    case 'unreadable':
      return unusable(
        raw.bytes === 0 ? worded`sent an empty answer` : worded`sent JSON that cannot be read`,
        raw.status,
      )
  }
}

function unusable(what: Worded, status: number): Outcome {
  return {
    kind: 'failed',
    failure: failure('upstream_error', worded`The provider ${what}.`, status, { retry: 'once' }),
  }
}

function withHeaders(failed: Failure, reply: UpstreamReply, now: number): Failure {
  const verdict = reply.headers.get('x-should-retry')
  const wait = retryAfterMs(
    { 'retry-after-ms': reply.headers.get('retry-after-ms'), 'retry-after': reply.headers.get('retry-after') },
    now,
  )
  const shouldRetry = verdict === 'true' ? true : verdict === 'false' ? false : null
  return { ...failed, retryAfterMs: wait ?? failed.retryAfterMs, shouldRetry }
}

/** The value of a provider's header, safe to store and show. */
export function wordsOf(reply: Pick<UpstreamReply, 'headers'>, name: string, provider: Provider): string | null {
  return headerWords(reply.headers.get(name) ?? '', provider) || null
}
