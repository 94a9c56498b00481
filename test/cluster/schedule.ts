import { createRandom, type Random } from '../../simulator/random.ts'

export const PARTS = ['node-1', 'node-2', 'node-3', 'postgres', 'valkey'] as const
export type Part = (typeof PARTS)[number]

/** kill -9 of a part, and its start some time later. */
export interface Strike {
  /** From the beginning of the load. */
  atMs: number
  part: Part
  downMs: number
  /** Valkey only: it comes back with nothing. */
  wiped: boolean
}

export interface ScheduleOptions {
  seed: number
  durationMs: number
  parts?: readonly Part[]
}

/** Everybody is up and calls are answered before the first strike. */
const FIRST_MS = 2_000
const SHORTEST_GAP_MS = 1_500
const LONGEST_GAP_MS = 7_500
/** At the end every part may come back under load. */
const QUIET_MS = 6_000
const TWO_AT_ONCE = 0.3
const WIPED = 0.3
export const SHORTEST_DOWN_MS = 200
const LONGEST_DOWN_MS = { node: 5_000, postgres: 7_000, valkey: 5_000 }
/** Some nodes stay away for so long that others close their calls. */
const LONG_DOWN = 0.12
const LONG_DOWN_MS = 18_000
/** A starting node serves within this time, on a busy machine too. */
const START_MS = 5_000

/** The same seed, length and parts give the same schedule: which part is killed when, and for how long. */
export function planStrikes({ seed, durationMs, parts = PARTS }: ScheduleOptions): Strike[] {
  const random = createRandom(seed)
  const strikes: Strike[] = []
  const downUntil = new Map<Part, number>()
  const end = durationMs - QUIET_MS
  for (let atMs = FIRST_MS; atMs < end; atMs += between(random, SHORTEST_GAP_MS, LONGEST_GAP_MS)) {
    for (const part of pickParts(random, parts, downUntil, atMs)) {
      const downMs = Math.min(downTime(random, part), end - atMs)
      strikes.push({ atMs, part, downMs, wiped: part === 'valkey' && random() < WIPED })
      downUntil.set(part, atMs + downMs)
    }
  }
  return strikes
}

/**
 * A part may be struck again once it has been started, which is before it serves. One node is spared, or there would be
 * none to call and nothing to see.
 */
function pickParts(random: Random, parts: readonly Part[], downUntil: ReadonlyMap<Part, number>, atMs: number): Part[] {
  const picked: Part[] = []
  const restsFor = (part: Part) => (picked.includes(part) ? -1 : atMs - (downUntil.get(part) ?? -START_MS))
  const leavesOne = (part: Part) =>
    !isNode(part) || parts.some((other) => isNode(other) && other !== part && restsFor(other) >= START_MS)
  for (let count = random() < TWO_AT_ONCE ? 2 : 1; count > 0; count--) {
    const choices = parts.filter((part) => restsFor(part) >= 0 && leavesOne(part))
    const part = choices[Math.floor(random() * choices.length)]
    if (part !== undefined) picked.push(part)
  }
  return picked
}

function isNode(part: Part): boolean {
  return part !== 'postgres' && part !== 'valkey'
}

function downTime(random: Random, part: Part): number {
  const kind = part === 'postgres' || part === 'valkey' ? part : 'node'
  if (kind === 'node' && random() < LONG_DOWN) return LONG_DOWN_MS
  return between(random, SHORTEST_DOWN_MS, LONGEST_DOWN_MS[kind])
}

function between(random: Random, least: number, most: number): number {
  return Math.round(least + random() * (most - least))
}

export function strikeText({ atMs, part, downMs, wiped }: Strike): string {
  const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`
  return `${seconds(atMs).padStart(8)}  ${part.padEnd(8)}  down for ${seconds(downMs)}${wiped ? ', memory wiped' : ''}`
}
