import type { CircuitView } from '../../calls/chain/circuits.ts'
import type { StopNews } from '../../calls/loops/loop-watch.ts'
import type { Circuit } from '../../domain/circuit.ts'
import type { ProviderHealth } from '../../domain/gateway-status.ts'
import type { ClaimedCall } from '../../domain/idempotency.ts'
import type { CatalogModel } from '../../domain/provider.ts'
import type { ChainEntry } from '../../domain/route.ts'
import type { Snapshot } from '../../domain/snapshot.ts'
import type { EachTasks } from '../../limits/each/thread-book.ts'
import type { NewSlots, Standby } from '../../limits/slots/slot-book.ts'
import type { Claim } from '../../request-log/fold/claim-spool.ts'
import type { Position } from '../../request-log/fold/position.ts'
import type { RequestLogStatus } from '../../request-log/open-spool.ts'
import type { ContentKey } from '../../store/engine/secrets.ts'
import type { MetricFigures } from '../../telemetry/join-metrics.ts'
import type { ThreadSettings } from '../call-deps.ts'
import type { Environment } from '../config.ts'

/** What a serving thread starts with. Everything here is cloned, except memory that is shared. */
export interface ThreadData {
  /** From 1. */
  thread: number
  threads: number
  settings: ThreadSettings
  /** For proxies and credentials. */
  environment: Environment
  isTerminal: boolean
  /** The gateway's id in the request log. */
  node: string
  sealingKeys: readonly Uint8Array[]
  contentKeys: readonly ContentKey[]
  control: Control
  models: readonly CatalogModel[]
  standby: Standby
  /** One of several gateways on its database enforces the limits. */
  isLone: boolean
  /** Shared: how many connections each thread has. */
  connections: SharedArrayBuffer
  /** How far the database has come with its spool. */
  position: Position
  claim: Claim | null
  /** Of the sockets at which threads serve each other, by number; 0 is the main thread. */
  sockets: readonly string[]
}

/** Control data, and the slots of the keys and workspaces in it that the thread does not know. */
export interface Control {
  snapshot: Snapshot
  slots: NewSlots
}

export interface ThreadStatus {
  inFlight: number
  circuits: CircuitView[]
  health: [provider: string, health: ProviderHealth][]
}

export interface ThreadReport {
  log: RequestLogStatus
  /** Not a single record is in its spool alone. */
  isDelivered: boolean
  /** When values of keys were last let in, since the last report. */
  uses: [valueId: string, at: number][]
}

/** What the main thread asks a serving thread. */
export type ThreadTasks = {
  /** Resolves once it could serve. */
  ready(input: null): Promise<void>
  /** Port 0 is any that is free. Resolves with the URL. */
  listen(input: { port: number }): Promise<string>
  /** From then on calls are served with it. */
  control(input: Control): void
  models(input: readonly CatalogModel[]): void
  circuit(input: CircuitNews): void
  /** Another thread has stopped a session. */
  loopStop(input: StopNews): void
  /** The database has everything up to here of what earlier processes have left in its spool. */
  pastFolded(input: { seq: number }): void
  /** The past of all spools is in order: its own rows may follow. */
  beginFold(input: null): void
  caughtUp(input: null): Promise<void>
  /** Resolves when the content of its calls until now is stored, as far as it is. */
  contentWritten(input: null): Promise<void>
  report(input: null): ThreadReport
  metrics(input: null): Promise<MetricFigures[]>
  status(input: null): ThreadStatus
  /** Resolves when no call of its clients is running. */
  drain(input: { idleGraceMs: number }): Promise<void>
  /** Resolves when its log is flushed. */
  close(input: null): Promise<ThreadReport>
}

export interface CircuitNews {
  entry: Pick<ChainEntry, 'provider' | 'model'>
  circuit: Circuit
}

/** What a serving thread asks the main thread. */
export type MainTasks = EachTasks & {
  find(input: { keyId: string; idempotencyKey: string; since: number }): Promise<ClaimedCall | null>
  raisePricePercent(input: { provider: string; percent: number }): Promise<unknown>
  circuit(input: CircuitNews): void
  loopStop(input: StopNews): void
}
