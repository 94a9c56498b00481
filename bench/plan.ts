import type { BodySize } from './bodies.ts'
import type { LatencyTogetherPlan } from './latency-together.ts'
import type { Peer } from './peers.ts'
import type { Family } from './scene.ts'
import type { TogetherPlan } from './together.ts'

/** How much is measured, and for how long. */
export interface Plan {
  /** Most slices of a target, of which a quarter counts: see rounds.ts and pace.ts. */
  rounds: number
  sliceSeconds: number
  /** A young process is still being compiled; what it costs then says nothing about what it costs later. */
  warmupSeconds: number
  /** All at the same time. */
  together: TogetherPlan
  /** The first rate is the one that the targets are about. */
  rates: readonly { rate: number; rounds: number }[]
  /** Short: the host of a virtual machine lends the core to others every second or two, and some slices are to miss that. */
  latencySeconds: number
  /** All at the same time, at the first rate each. */
  latencyTogether: LatencyTogetherPlan
  memorySeconds: number
  bodies: readonly BodySize[]
  bodyRounds: number
  bodySeconds: number
  starts: number
  /** Of each phase in which the event loop is watched; an odd number. */
  loopSlices: number
  loopSeconds: number
  /** Rows that are there when the event loop is watched; without any, retention is not watched. */
  loopRows: number
  overloadSeconds: number
  /** Before the overload; twice as long after it. */
  quietSeconds: number
  admissionCalls: number
  /** Of the peers; ours is always measured with both. */
  peerFamilies: readonly Family[]
  growth: { calls: number; keys: readonly number[]; routes: readonly number[]; rows: readonly number[] }
  /** Longer slices than of one gateway: each ends when its last row is delivered, and all of that counts. */
  nodes: { rounds: number; seconds: number }
}

export const FULL: Plan = {
  rounds: 16,
  sliceSeconds: 0.3,
  warmupSeconds: 6,
  together: { rounds: 16, seconds: 4, warmupSeconds: 10 },
  rates: [
    { rate: 500, rounds: 12 },
    { rate: 1_000, rounds: 4 },
  ],
  latencySeconds: 0.5,
  latencyTogether: { rounds: 12, seconds: 5 },
  memorySeconds: 6,
  bodies: ['100k', '1m', '10m'],
  bodyRounds: 8,
  bodySeconds: 0.7,
  starts: 5,
  loopSlices: 5,
  loopSeconds: 3,
  loopRows: 200_000,
  overloadSeconds: 6,
  quietSeconds: 2,
  admissionCalls: 200_000,
  peerFamilies: ['openai', 'anthropic'],
  growth: { calls: 2_000_000, keys: [1, 100, 10_000], routes: [1, 100, 5_000], rows: [0, 1_000_000, 5_000_000] },
  nodes: { rounds: 5, seconds: 2 },
}

/** All parts: two to three minutes. */
export const QUICK: Plan = {
  rounds: 2,
  sliceSeconds: 0.3,
  warmupSeconds: 1,
  together: { rounds: 1, seconds: 2, warmupSeconds: 1 },
  rates: [{ rate: 500, rounds: 1 }],
  latencySeconds: 0.5,
  latencyTogether: { rounds: 1, seconds: 3 },
  memorySeconds: 2.5,
  bodies: ['1m'],
  bodyRounds: 1,
  bodySeconds: 0.5,
  starts: 1,
  loopSlices: 1,
  loopSeconds: 1,
  loopRows: 0,
  overloadSeconds: 2,
  quietSeconds: 1,
  admissionCalls: 50_000,
  peerFamilies: ['openai'],
  growth: { calls: 50_000, keys: [1, 10_000], routes: [1, 5_000], rows: [0, 100_000] },
  nodes: { rounds: 2, seconds: 0.5 },
}

export interface RunOptions {
  plan: Plan
  peers: readonly Peer[]
  /** The built package instead of the sources. */
  dist: boolean
  progress(text: string): void
}
