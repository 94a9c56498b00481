import type { CircuitState } from './circuit.ts'
import type { ErrorCode } from './errors.ts'

/** What a gateway process is doing now. Times are Unix milliseconds. */
export interface GatewayStatus {
  version: string
  node: string
  engine: 'sqlite' | 'postgres'
  startedAt: number
  phase: 'starting' | 'ready' | 'draining'
  /** Chat calls being worked on. */
  inFlight: number
  /** Rows that the database does not have yet, and why. */
  log: { lagRows: number; lastError: string | null }
  catalog: readonly CatalogList[]
  providers: readonly ProviderStatus[]
}

/** The model list of one provider. */
export interface CatalogList {
  provider: string
  models: number
  /** Null while it has not been read. */
  readAt: number | null
  /** Why not. */
  problem: string | null
}

export interface ProviderStatus {
  name: string
  family: string
  configured: boolean
  /** Those that are not closed; one that is open is skipped until then. */
  circuits: readonly { model: string; state: CircuitState; until: number | null }[]
  health: ProviderHealth
}

/** How one provider has behaved, as far as this process has seen it. */
export interface ProviderHealth {
  /** Calls of the last five minutes, and those of them that failed by the provider's fault. */
  recentCalls: number
  recentErrors: number
  lastSuccessAt: number | null
  lastError: ProviderError | null
}

/** A failure of the provider's. Its words are scrubbed as for callers; nothing of the request is in it. */
export interface ProviderError {
  at: number
  model: string
  code: ErrorCode
  /** HTTP status of the provider; null when there was no answer at all. */
  status: number | null
  message: string
  requestId: string
}
