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
      /** Finished calls that are not booked in the counters yet. */
      deferred: number
    }
