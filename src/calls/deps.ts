import type { Bodies } from '../bodies/bodies.ts'
import type { PrefixRule } from '../domain/route.ts'
import type { Snapshot } from '../domain/snapshot.ts'
import type { SpendLedger } from '../limits/spend-ledger.ts'
import type { LogFullReason } from '../request-log/log-full.ts'
import type { CloseRecord, OpenRecord } from '../request-log/record.ts'
import type { Log } from '../telemetry/log.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { UpstreamClient } from '../upstream/client.ts'
import type { ChainDeps } from './chain/assess.ts'
import type { ProviderHealths } from './chain/provider-health.ts'
import type { Idempotency } from './idempotency/idempotency.ts'
import type { IsKnown } from './models/known-models.ts'

/**
 * The two writes of a call; both resolve when the row is durable, to its place in the spool of this node. A beginning that the
 * disk does not take is refused with `log_full`, an end waits.
 */
export interface RequestLog {
  open(record: OpenRecord): Promise<number>
  close(record: CloseRecord): Promise<number>
  /** Why there is no room for another call; null as a rule. */
  fullBecause(): LogFullReason | null
}

/** What the steps of a call need from outside. Built once in main.ts. */
export interface Deps extends ChainDeps {
  /** Control data as of now; a call keeps the one it began with. */
  snapshot(): Snapshot
  prefixes: readonly PrefixRule[]
  providerHealth: ProviderHealths
  isKnown: IsKnown
  upstream: UpstreamClient
  bodies: Bodies
  requestLog: RequestLog
  /** A value of a key was let in at this moment. */
  noteUse(valueId: string, at: number): void
  ledger: SpendLedger
  idempotency: Idempotency
  metrics: Metrics
  log: Log
  maxBodyBytes: number
  /** The drain has run out of time: whoever leaves now was sent away by us. */
  cutOff(): boolean
  /** Unix milliseconds. */
  now(): number
  /** 0 ≤ n < 1. */
  random(): number
}
