import type { WireBytes } from '../../bodies/request-body.ts'
import { cleaned } from '../../domain/failure.ts'
import { withoutSecrets } from '../../domain/provider.ts'
import type { Answer } from '../../domain/request/answer.ts'
import { isJsonObject } from '../../domain/request/call-request.ts'
import type { StreamReader } from '../../domain/request/stream.ts'
import { type Framing, SERVER_SENT_EVENTS } from '../../upstream/event-framing.ts'
import type { Breakdown, Endpoint as UpstreamEndpoint } from '../../upstream/exchange.ts'
import { collect, type UpstreamAnswer } from '../../upstream/streamed-response.ts'
import type { Candidate } from '../chain/assess.ts'
import type { Deps } from '../deps.ts'
import { both } from '../hedge/leg.ts'
import { type Asked, type Outcome, readInPlace } from '../read-outcome.ts'
import type { Admitted } from '../stages.ts'
import { lingering } from './lingering.ts'
import { LiveStream } from './live-stream.ts'

/**
 * Calls an entry and reads its stream until the first content. A failure before that is a failed attempt like any
 * other: the chain continues, or the caller gets an error with its status.
 */
export async function askStream(
  endpoint: UpstreamEndpoint,
  candidate: Candidate,
  bytes: WireBytes,
  call: Admitted,
  deps: Deps,
): Promise<Asked> {
  const { timeoutMs } = candidate.entry
  const began = performance.now()
  const { onCallerLeft, name } = candidate.provider
  const onDrain = () => deps.metrics.streamDrains.add(1, [name])
  const caller = onCallerLeft === 'drain' ? lingering(call.presence, deps.streams, onDrain) : call.presence
  const presence = both(caller, call.leg)
  // Until the first content only the deadline counts: a model may think for minutes.
  const options = { method: 'POST', body: bytes, timeoutMs, idleMs: timeoutMs, presence } as const
  const raw = await deps.upstream.call(endpoint, options)
  const outcome = await outcomeOf(raw, candidate, call, Math.max(1, timeoutMs - (performance.now() - began)), deps)
  return { raw, outcome, ended: performance.now() }
}

async function outcomeOf(
  raw: UpstreamAnswer | Breakdown,
  candidate: Candidate,
  call: Admitted,
  timeoutMs: number,
  deps: Deps,
): Promise<Outcome> {
  if (raw.kind !== 'answer') return readInPlace(raw, candidate, call, deps)
  if (isEventStream(raw, framingOf(candidate, raw))) return firstContent(raw, candidate, call, timeoutMs)
  return asStream(readInPlace(await collect(raw, timeoutMs), candidate, call, deps), candidate, call)
}

function framingOf({ translator: { stream } }: Candidate, { headers }: UpstreamAnswer): Framing {
  const bytes = stream?.bytes
  if (bytes?.contentType.test(headers.get('content-type') ?? '') === true) return bytes
  return stream?.framing ?? SERVER_SENT_EVENTS
}

function isEventStream({ status, headers }: UpstreamAnswer, { contentType }: Framing): boolean {
  return status >= 200 && status <= 299 && contentType.test(headers.get('content-type') ?? '')
}

async function firstContent(
  answer: UpstreamAnswer,
  candidate: Candidate,
  { body }: Admitted,
  timeoutMs: number,
): Promise<Outcome> {
  const { translator, provider } = candidate
  const reader = translator.stream?.open(body.request, candidate.entry.model)
  if (reader === undefined) throw new Error('this translator has no streams')
  const stream = new LiveStream(answer, reader, [], framingOf(candidate, answer))
  const read = await stream.untilContent(timeoutMs)
  if (read.kind === 'caller-left') return { kind: 'caller-left', usage: reader.usage }
  const last = read.parts.at(-1)
  if (last?.type !== 'failed' || stream.received.bytes > 0) return { kind: 'streaming', stream }
  stream.close()
  return { kind: 'failed', failure: cleaned(last.failure, (text) => withoutSecrets(text, provider)) }
}

/** Some servers ignore `stream: true` and send the whole answer. */
function asStream(outcome: Outcome, { translator }: Candidate, { body: { request } }: Admitted): Outcome {
  if (outcome.kind !== 'answered' || !('body' in outcome.answer) || translator.stream === undefined) return outcome
  const parts = translator.stream.partsOf(outcome.answer, request)
  return { kind: 'streaming', stream: new LiveStream(null, wholeReader(outcome.answer), parts) }
}

function wholeReader({ usage, body, usageSource: source, orTokens }: Answer): StreamReader {
  const counted = isJsonObject(body['usage']) ? body['usage'] : null
  // What is billed by units needs no count of tokens.
  const isCounted = usage !== null && (counted !== null || usage.uses != null)
  const more = { ...(source !== undefined && { source }), ...(orTokens !== undefined && { orTokens }) }
  const counts = isCounted ? { tokens: usage, body: counted ?? {}, isFinal: true, ...more } : null
  return { usage: counts, hiddenBytes: 0, isFinished: true, read: () => [], end: () => [] }
}
