import { GatewayError } from '../domain/errors.ts'
import { cleaned, type Failure } from '../domain/failure.ts'
import type { StreamEnding } from '../domain/log/stream-words.ts'
import { withOutput } from '../domain/pricing/usage.ts'
import { type Provider, withoutSecrets } from '../domain/provider.ts'
import type { StreamPart } from '../domain/request/stream.ts'
import { worded } from '../domain/wording/worded.ts'
import type { StreamHead } from '../http/call.ts'
import { asGatewayError } from '../http/respond.ts'
import type { CommitRecord } from '../request-log/record.ts'
import { streamHead } from './answer.ts'
import type { Candidate } from './chain/assess.ts'
import type { Deps } from './deps.ts'
import { costOfUsage } from './price.ts'
import { millisecondsInto, type Served, type StreamedAnswer } from './stages.ts'
import type { Delivery } from './stream/delivery.ts'
import { endOf, type Read } from './stream/live-stream.ts'
import { usageOf } from './stream/stream-usage.ts'
import { notePrice } from './try-entry.ts'
import { addedTo } from './unconfirmed.ts'

/** The error a cut stream ends with; null: it finished. */
export type Cut = GatewayError | 'caller-left' | null

/** A served call whose answer is a stream. */
interface Streaming {
  call: Served
  answer: StreamedAnswer
  delivery: Delivery
  candidate: Candidate
}

/**
 * Sends a stream while it arrives, except for its end, which waits for the row. The commit mark is durable before
 * anything is sent: should the process die, the log knows that this call has an answer. From here on no other entry
 * is called.
 */
export async function deliver(call: Served, deps: Deps): Promise<Cut> {
  const { served, delivery } = call
  const fitness = call.fitnesses[served.position]
  if (delivery === null || !('stream' in served.answer) || fitness?.kind !== 'usable') return null
  const streaming = { call, answer: served.answer, delivery, candidate: fitness.candidate }
  const began = performance.now()
  deps.streams.add(served.answer.stream)
  deps.metrics.openStreams.add()
  let end: StreamEnding | Failure = 'interrupted'
  let fault: GatewayError | null = null
  try {
    if (!call.presence.left) await deps.requestLog.commit(commitRecord(streaming))
    end = await pour(streaming, deps)
  } catch (error) {
    // Ours, and no reason to leave what was sent uncharged.
    deps.log.error({ request: call.id, err: error })
    fault = asGatewayError(error)
  }
  call.externalMs += performance.now() - began
  deps.metrics.openStreams.add(-1)
  deps.streams.delete(served.answer.stream)
  served.answer.stream.close()
  conclude(streaming, end, deps)
  await call.lost?.end()
  return fault ?? cutOf(streaming, end)
}

/**
 * Reads and sends until the stream ends. After the caller has left, reading continues only while the provider's
 * connection is kept (stream/lingering.ts), which is rare.
 */
async function pour(streaming: Streaming, deps: Deps): Promise<StreamEnding | Failure> {
  const { call, answer, delivery, candidate } = streaming
  const { stream } = answer
  const { settings } = deps.streams
  const head = () => streamHead(call, deps)
  const left = () => (deps.cutOff() ? 'interrupted' : delivery.hasSlowReader ? 'slow_reader' : 'caller_left')
  const leastMs = call.endpoint.stream?.leastIdleMs ?? 0
  const idleMs = candidate.entry.idleTimeoutMs ?? Math.max(settings.idleMs, leastMs)
  const payloadIdleMs = Math.max(settings.payloadIdleMs, leastMs)
  const totalMs = Math.max(1, settings.totalMs - millisecondsInto(call))
  let read: Read = { kind: 'parts', parts: stream.start({ idleMs, payloadIdleMs, totalMs }) }
  while (read.kind === 'parts') {
    const isTaken = sendParts(read.parts, streaming, head)
    const end = endOf(read.parts)
    // Parsed parts take several times their bytes: a stream that waits keeps none.
    read = NOTHING
    if (!isTaken) await delivery.drained()
    if (end?.type === 'failed') return delivery.isUnread ? left() : end.failure
    if (end?.type === 'message-end') {
      answer.finishReason = end.finishReason
      answer.warning = end.warning
      if (delivery.isUnread) return left()
      delivery.open(head)
      return 'finished'
    }
    read = await stream.next()
  }
  return left()
}

const NOTHING: Read = { kind: 'parts', parts: [] }

/** False: wait until the caller has room. */
function sendParts(parts: readonly StreamPart[], { answer, delivery }: Streaming, head: () => StreamHead): boolean {
  const text = delivery.isUnread ? '' : framesOf(parts, answer)
  return text === '' || delivery.send(text, head)
}

function framesOf(parts: readonly StreamPart[], answer: StreamedAnswer): string {
  let text = ''
  for (let place = 0; place < parts.length; place++) {
    const frame = answer.writer.write(parts[place] as StreamPart)
    if (frame === '') continue
    text += frame
    answer.events += 1
  }
  return text
}

/** What the row and the price need, however the stream ended. */
function conclude(streaming: Streaming, end: StreamEnding | Failure, deps: Deps): void {
  const { call, answer, candidate } = streaming
  const { served } = call
  const { entry } = served
  answer.ended = typeof end === 'string' ? end : 'failed_mid_stream'
  const { attempt } = served
  attempt.durationMs = millisecondsInto(call) - attempt.startedAfterMs
  served.upstreamMs = attempt.durationMs
  attempt.reason = REASONS[answer.ended]
  if (typeof end !== 'string') {
    attempt.code = end.code
    attempt.phase = 'after_content'
  }
  if (typeof end !== 'string') {
    deps.circuits.failed(entry, end)
    deps.providerHealth.failed(entry, end, call.id)
  } else if (end === 'finished') {
    deps.circuits.succeeded(entry)
    deps.providerHealth.succeeded(entry)
  }
  noteUsage(streaming)
  notePrice(served.usage.pricePercent, served.usageSource, candidate, attempt, call.id, deps)
}

const REASONS: Record<StreamEnding, string> = {
  finished: 'served',
  failed_mid_stream: 'served in part: the stream was cut after content had been sent',
  caller_left: 'the caller left',
  slow_reader: 'the caller stopped reading',
  interrupted: 'the gateway shut down',
}

function noteUsage({ call, answer, delivery, candidate }: Streaming): void {
  const { reader, received } = answer.stream
  const { deltas } = received
  const arrived = { counted: reader.usage, deltas, bytes: received.bytes + reader.hiddenBytes }
  Object.assign(call.served, usageOf({ ...arrived, otherBytes: delivery.otherBytes }, candidate, call))
}

function cutOf({ delivery, candidate: { provider } }: Streaming, end: StreamEnding | Failure): Cut {
  if (typeof end !== 'string') return cutError(end, provider)
  if (end === 'finished') return null
  return delivery.isUnread ? 'caller-left' : new GatewayError('overloaded', SHUTTING_DOWN)
}

function cutError(end: Failure, provider: Provider): GatewayError {
  const { code, message, kept, param, providerCode } = cleaned(end, (text) => withoutSecrets(text, provider))
  return new GatewayError(code, { text: message, kept, param }, { providerCode })
}

const SHUTTING_DOWN = worded`The gateway is shutting down: the stream was cut. Send the request again.`

/** From its commit on a call has an answer: should the process die, it costs at least what is counted here. */
function commitRecord({ call, answer }: Streaming): CommitRecord {
  const { id, startedAt, served, snapshot } = call
  const { entry, position } = served
  const { provider, model } = entry
  const usage = answer.stream.reader.usage?.tokens ?? null
  const cost = usage === null ? null : costOfUsage(withOutput(usage, 0), entry, snapshot)
  const counted = {
    usage,
    priceVersion: cost?.priceVersion ?? null,
    costLeastPicodollars: cost?.picodollars?.toString() ?? null,
    holdAdded: addedTo(call.held),
  }
  return { id, startedAt, provider, model, fallback: position > 0, firstContentMs: answer.firstContentMs, ...counted }
}
