import type { WrittenAnswer } from '../bodies/protocol.ts'
import type { RequestBody } from '../bodies/request-body.ts'
import type { Attribution } from '../domain/attribution.ts'
import type { GatewayError } from '../domain/errors.ts'
import type { LiveKey } from '../domain/key.ts'
import type { StreamEnding, UsageSource } from '../domain/log/stream-words.ts'
import type { Presence } from '../domain/presence.ts'
import type { Picodollars } from '../domain/pricing/price.ts'
import type { TokenUsage } from '../domain/pricing/usage.ts'
import type { Adjustment } from '../domain/request/adjustment.ts'
import type { Answer } from '../domain/request/answer.ts'
import type { StreamWriter } from '../domain/request/stream.ts'
import type { ChainEntry, Resolved as ResolvedModel } from '../domain/route.ts'
import type { Snapshot } from '../domain/snapshot.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import type { Call, CallReply } from '../http/call.ts'
import type { BudgetState, HeldCall } from '../limits/admission.ts'
import type { AttemptRecord, CloseRecord, OpenRecord } from '../request-log/record.ts'
import type { CallTrace } from '../telemetry/tracing.ts'
import type { Fitness } from './chain/assess.ts'
import type { Leg } from './hedge/leg.ts'
import type { Delivery, Receiver } from './stream/delivery.ts'
import type { LiveStream } from './stream/live-stream.ts'

/**
 * The stages of a call. Each step takes the stage before it and returns the next one, so a wrong order does not
 * compile. A call is one object: a step adds its part, and `settle` writes what is there.
 */
export interface Begun {
  readonly id: string
  readonly endpoint: Endpoint
  readonly key: LiveKey
  readonly snapshot: Snapshot
  readonly trace: CallTrace
  /** The caller, or everyone waiting for this call under one `Idempotency-Key`. */
  presence: Presence
  /** Unix milliseconds, for the log; of an admitted call the time of admission, to whose period its cost belongs. */
  startedAt: number
  /** `performance.now()` when the whole request had arrived: the start of every duration. */
  startedTick: number
  /** Time that was not ours: upstream calls and the waits between them. */
  externalMs: number
  readonly attempts: AttemptRecord[]
  /** Known before an entry is called: a key that was sent beside the one used, what a guardrail changed. */
  foreseen: readonly Adjustment[]
  /** Of the last attempted entry. */
  adjustments: Adjustment[]
  /** Who called. */
  readonly receiver: Receiver & Pick<Call, 'header' | 'headers'>
  /** Mostly none. */
  aspects: readonly Aspect[]
}

/**
 * A feature that some calls have: an `Idempotency-Key`, a guardrail, stored content, a cache. It has a method for each
 * moment of a call that it needs. A call has those that its headers, workspace and route switch on, in the order of
 * aspects.ts.
 */
export interface Aspect {
  /** The key may use the model; nothing is held, and no row is open. Throws a refusal. Null: the call continues. */
  enter?(call: Resolved): Promise<Given | null>
  /** What the call says must not be stored, or not yet. */
  hidesContent?: boolean
  /** A guardrail has put this request in the place of the caller's. */
  rewritten?(body: Buffer): void
  addToOpening?(record: OpenRecord): void
  /** Frames of a stream, as they are sent. */
  recordFrames?(text: string): void
  /** Of every reply, errors too. */
  addHeaders?(headers: Record<string, string>): void
  /** The reply is ready and not sent. Throws where it may not go out. */
  check?(ended: Ended, reply: CallReply | null): Promise<void>
  addToRow?(record: CloseRecord): void
  /** What the caller gets, where that is not what is kept of the answer. The row is complete. */
  show?(reply: CallReply): CallReply
  /** The row is complete. `shown`: what the caller gets. */
  settled?(ended: Ended, reply: CallReply | null, shown: CallReply | null): void
  /** The call has ended without a complete row. */
  failed?(error: unknown): void
  /** The call has ended, with or without an answer. */
  release?(): void
}

/** An answer for which no provider is asked. Without a row: that of an earlier call, which has one. */
export type Given = { reply: CallReply; hasRow: true } | { reply: CallReply | null; hasRow: false }

/** Its body was read and checked. */
export interface Received extends Begun {
  readonly body: RequestBody
  /** Who it is for, as it may be stored. */
  readonly attribution: Attribution
  /** Where a streamed answer goes; null: a whole answer was asked for. */
  readonly delivery: Delivery | null
}

/** The key may use its model, and these entries can serve it. */
export interface Resolved extends Received {
  readonly resolved: ResolvedModel
}

/** Its entries are in the order in which they are called. */
export interface Balanced extends Resolved {
  /** The member of a group that has the prompt cache of the call's session. */
  readonly home: ChainEntry | null
  /** Ends its count at the entry where it is now. */
  releaseEntry: () => void
}

/** Its maximum cost is held and its row is open: it may call providers. Only `admit` makes one. */
export interface Admitted extends Balanced {
  readonly fitnesses: readonly Fitness[]
  /** What is held suffices for two entries at once. */
  readonly mayHedge: boolean
  readonly held: HeldCall
  /** Soft budgets that this call exceeds. */
  readonly warnings: readonly BudgetState[]
  /** What its row says from here on, and the same as the log has it. */
  readonly opening: { record: OpenRecord; text: string }
  /** The entry that was called last. */
  trying: Pick<ServedBy, 'entry' | 'position' | 'ignored'> | null
  /** Where two entries are asked for the call: the part of one of them. */
  leg: Leg | null
  /** The entry that was asked, too, and did not serve. */
  lost: Lost | null
}

/** A provider has answered, or has begun to: a stream is served from its first content on. */
export interface Served extends Admitted {
  readonly served: ServedBy
}

export interface ServedBy {
  entry: ChainEntry
  /** Its position in the chain; more than 0 means that a fallback served. */
  position: number
  answer: Answer | WrittenAnswer | StreamedAnswer
  /** As counted by the provider, or estimated if it did not count. Of a stream known at its end. */
  usage: TokenUsage
  usageSource: UsageSource
  /** Of an estimate. */
  bounds: { least: TokenUsage; most: TokenUsage } | null
  /** Of a stream until its first content, later of all of it. */
  upstreamMs: number
  ignored: string[]
  /** Its record. */
  attempt: AttemptRecord
}

/** An entry that another one, asked beside it, was faster than. */
export interface Lost {
  /** The entry's share of the call's cost; null until it has ended. */
  cost: Cost | null
  entry: ChainEntry
  usage: TokenUsage | null
  /** Ends what is left of it; resolves when it has ended and its cost is known. */
  end(): Promise<void>
}

/** An answer that is sent while it arrives. */
export interface StreamedAnswer {
  stream: LiveStream
  writer: StreamWriter
  /** From the start of the call. */
  /** Of bytes; null: it has events. */
  contentType: string | null
  firstContentMs: number
  /** How it ended; null while it runs. */
  ended: StreamEnding | null
  /** Parts that were sent. */
  events: number
  finishReason: string | null
  warning: string | null
}

export interface Priced extends Served {
  readonly cost: Cost
}

export interface Cost {
  /** Null when the model has no known price. */
  picodollars: Picodollars | null
  priceVersion: number | null
  /** Of the bounds of an estimate; null where the provider counted. */
  least: Picodollars | null
  most: Picodollars | null
}

/** A call that has ended, at whichever stage. */
export interface Ended {
  call: Begun & Partial<Omit<Priced, keyof Begun>>
  /** Null when it was served. */
  error: GatewayError | 'caller-left' | null
}

/** The same call at its next stage, into which the step writes its part: it has a place for every part from the start. */
export function advance<Next extends Begun>(stage: Begun): { -readonly [Field in keyof Next]: Next[Field] } {
  return stage as Next
}

/** Of a running call. Times are rounded, not durations, so that no part is longer than the whole. */
export function millisecondsInto({ startedTick }: Pick<Begun, 'startedTick'>, tick = performance.now()): number {
  return Math.round(tick - startedTick)
}
