import type { Pace } from './load/events.ts'
import type { Build } from './run/gateway.ts'
import type { Peer } from './run/peers.ts'

export interface RunOptions {
  plan: Plan
  peers: readonly Peer[]
  build: Build
  /** A folder for CPU profiles of our gateways. */
  profile?: string
  progress(text: string): void
}

export interface TogetherPlan {
  rounds: number
  seconds: number
  /** For each of the two roles of an exchanged gateway: a young process is still being compiled. */
  warmupSeconds: number
}

export interface LatencyPlan {
  /** The targets refer to the first one. */
  rates: readonly { rate: number; rounds: number }[]
  seconds: number
}

/** How much is measured, and for how long. */
export interface Plan {
  together: TogetherPlan
  /** Two builds against each other: each start has fresh processes, because a process can be lucky. */
  against: TogetherPlan & { starts: number }
  warmupSeconds: number
  saturation: { rounds: number; seconds: number }
  latency: LatencyPlan
  memorySeconds: number
  starts: number
  /** `ratedSeconds`: at a constant rate. */
  nodes: { rounds: number; seconds: number; ratedSeconds: number }
  peers: TogetherPlan
  streams: TogetherPlan & { paces: readonly Pace[] }
  firstContent: LatencyPlan
  /** `calmMs`: before memory is read; four times as long after the start. */
  streamMemory: { open: number; streams: number; calmMs: number }
}

const RATES = [
  { rate: 500, rounds: 10 },
  { rate: 1_000, rounds: 4 },
]

export const FULL: Plan = {
  together: { rounds: 16, seconds: 4, warmupSeconds: 10 },
  against: { starts: 4, rounds: 10, seconds: 4, warmupSeconds: 10 },
  warmupSeconds: 6,
  saturation: { rounds: 10, seconds: 1 },
  latency: { rates: RATES, seconds: 5 },
  memorySeconds: 6,
  starts: 5,
  nodes: { rounds: 5, seconds: 2, ratedSeconds: 20 },
  peers: { rounds: 8, seconds: 3, warmupSeconds: 10 },
  streams: { rounds: 12, seconds: 4, warmupSeconds: 8, paces: ['paced', 'all at once'] },
  firstContent: { rates: [{ rate: 300, rounds: 10 }], seconds: 5 },
  streamMemory: { open: 5_000, streams: 100_000, calmMs: 3_000 },
}

export const QUICK: Plan = {
  together: { rounds: 1, seconds: 2, warmupSeconds: 1 },
  against: { starts: 2, rounds: 8, seconds: 2, warmupSeconds: 6 },
  warmupSeconds: 1,
  saturation: { rounds: 2, seconds: 0.3 },
  latency: { rates: [{ rate: 500, rounds: 1 }], seconds: 3 },
  memorySeconds: 2.5,
  starts: 1,
  nodes: { rounds: 2, seconds: 0.5, ratedSeconds: 6 },
  peers: { rounds: 2, seconds: 2, warmupSeconds: 2 },
  streams: { rounds: 2, seconds: 2, warmupSeconds: 2, paces: ['paced'] },
  firstContent: { rates: [{ rate: 300, rounds: 1 }], seconds: 2 },
  streamMemory: { open: 500, streams: 2_000, calmMs: 3_000 },
}
