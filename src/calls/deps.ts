import type { Bodies } from '../bodies/bodies.ts'
import type { ContentKeeper } from '../content/keeper.ts'
import type { PrefixRule } from '../domain/route.ts'
import type { Snapshot } from '../domain/snapshot.ts'
import type { SessionRoots } from '../endpoints/call-names.ts'
import type { SpendLedger } from '../limits/spend-ledger.ts'
import type { Tokens } from '../providers/tokens.ts'
import type { LogFullReason } from '../request-log/log-full.ts'
import type { CloseRecord, CommitRecord, OpenRecord } from '../request-log/record.ts'
import type { Log } from '../telemetry/log.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { Tracing } from '../telemetry/tracing.ts'
import type { TokenCallers } from '../tokens/token-callers.ts'
import type { UpstreamClient } from '../upstream/client.ts'
import type { AnswerCache } from './cache/answer-cache.ts'
import type { ChainDeps } from './chain/assess.ts'
import type { ProviderHealths } from './chain/provider-health.ts'
import type { Idempotency } from './idempotency/idempotency.ts'
import type { LoopWatch } from './loops/loop-watch.ts'
import type { IsKnown } from './models/known-models.ts'
import type { PromptTurns } from './prompt-cache/prompt-turns.ts'
import type { Aspect, Begun } from './stages.ts'
import type { OpenStreams } from './stream/open-streams.ts'

/**
 * The writes of a call; all resolve when the row is durable, to its position in this node's spool. When the disk
 * refuses a write, a beginning fails with `log_full`, the others wait. Only a stream commits, before its first content.
 */
export interface RequestLog {
  /** `text`: as `openText` writes it; `close` takes it over. */
  open(record: OpenRecord, text: string): Promise<number>
  commit(record: CommitRecord): Promise<number>
  close(record: CloseRecord, opening?: string): Promise<number>
  /** Why there is no room for another call; usually null. */
  fullBecause(): LogFullReason | null
}

/** Makes the aspect of one call from its body as it came; null: the call goes without it. */
export type MakeAspect = (call: Begun, chunks: readonly Buffer[], deps: Deps) => Aspect | null

/** The dependencies of the steps of a call, built once in main.ts. */
export interface Deps extends ChainDeps {
  /** Current control data; a call keeps the snapshot that it started with. */
  snapshot(): Snapshot
  /** Of every call; mostly none. */
  aspects: readonly MakeAspect[]
  prefixes: readonly PrefixRule[]
  providerHealth: ProviderHealths
  isKnown: IsKnown
  upstream: UpstreamClient
  tokens: Tokens
  bodies: Bodies
  requestLog: RequestLog
  /** A key value was accepted at this time. */
  noteUse(valueId: string, at: number): void
  /** Callers with a token of a configured issuer instead of a key. */
  tokenCallers: TokenCallers
  ledger: SpendLedger
  /** Of agents whose sessions start others. */
  roots: SessionRoots
  idempotency: Idempotency
  loops: LoopWatch
  promptTurns: PromptTurns
  cache: AnswerCache
  streams: OpenStreams
  content: ContentKeeper
  metrics: Metrics
  tracing: Tracing
  log: Log
  maxBodyBytes: number
  /** The drain has timed out: callers that leave now were disconnected by us. */
  cutOff(): boolean
  /** Unix milliseconds. */
  now(): number
  /** 0 ≤ n < 1. */
  random(): number
}
