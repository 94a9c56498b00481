import type { CircuitState } from './circuit.ts'
import type { ErrorCode } from './errors.ts'

/** The current state of a gateway process. Times are Unix milliseconds. */
export interface GatewayStatus {
  version: string
  node: string
  engine: 'sqlite' | 'postgres'
  startedAt: number
  phase: 'starting' | 'ready' | 'draining'
  /** Whether calls may stream in workspaces that do not say it themselves. */
  streaming: boolean
  /** Threads that serve calls. */
  threads: number
  /** Calls in progress. */
  inFlight: number
  /** Rows that are not in the database yet, and why. */
  log: { lagRows: number; lastError: string | null }
  catalog: readonly CatalogList[]
  providers: readonly ProviderStatus[]
}

/** The model list of one provider. */
export interface CatalogList {
  provider: string
  models: number
  /** Null until it has been read. */
  readAt: number | null
  /** Why it is not read. */
  problem: string | null
}

export interface ProviderStatus {
  name: string
  family: string
  configured: boolean
  /** Circuits that are not closed; an open one is skipped until then. */
  circuits: readonly { model: string; state: CircuitState; until: number | null }[]
  health: ProviderHealth
}

/** The recent behaviour of one provider, as seen by this process. */
export interface ProviderHealth {
  /** Calls of the last five minutes, and how many of them failed through the provider's fault. */
  recentCalls: number
  recentErrors: number
  lastSuccessAt: number | null
  lastError: ProviderError | null
}

/** A failure of the provider. Its message is scrubbed as for callers and contains nothing of the request. */
export interface ProviderError {
  at: number
  model: string
  code: ErrorCode
  /** HTTP status of the provider; null when it did not answer. */
  status: number | null
  message: string
  requestId: string
}

/** Where limits are counted, and whether that works now. */
export type LimitsState =
  | { kind: 'memory' }
  /** Several gateways without shared counters: one of them enforces. */
  | { kind: 'lone'; enforces: boolean }
  | {
      kind: 'counters'
      up: boolean
      /** Why it does not work. */
      problem: string | null
    }
