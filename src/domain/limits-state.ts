/** Where limits are counted, and whether that works now. */
export type LimitsState =
  | { kind: 'memory' }
  /** Several gateways without shared counters: one enforces. */
  | { kind: 'lone'; enforces: boolean }
  | {
      kind: 'counters'
      up: boolean
      /** Why not. */
      problem: string | null
      /** Ends of calls that the counters have not heard of yet. */
      deferred: number
    }
