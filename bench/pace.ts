import { percentile } from './percentiles.ts'

/**
 * How fast a core is at a moment. Hosts take speed away without a word. The one that our figures come from slows all
 * cores down to a twelfth for 60 to 100 ms in every one and a half seconds, and lends the other half of a physical core
 * to somebody else for a tenth of a second or for ten: then instructions that do not wait for each other take almost
 * twice as long, and a chain of them, each of which needs the one before, as long as ever. So the work is of the first
 * kind. What is measured in such stretches says nothing about a program.
 */
const STEPS = 8_000

/** Milliseconds of a piece of work that needs no memory (7 µs); the least of three, for others may take the core in one. */
export function measurePace(): number {
  let least = Number.POSITIVE_INFINITY
  for (let turn = 1; turn <= 3; turn++) {
    const began = performance.now()
    // Used, or the work would be left out.
    if (work(turn) !== 0.5) least = Math.min(least, performance.now() - began)
  }
  return least
}

function work(seed: number): number {
  // One by one: taken out of a list they would not be kept in registers.
  let a = seed
  let b = 2
  let c = 3
  let d = 4
  let e = 5
  let f = 6
  for (let step = 0; step < STEPS; step++) {
    a = (a + step) | 0
    b = (b ^ step) | 0
    c = (c + (step << 1)) | 0
    d = (d ^ (step >> 1)) | 0
    e = (e + a) | 0
    f = (f ^ b) | 0
  }
  return a ^ b ^ c ^ d ^ e ^ f
}

/** Until it is compiled the work takes ten times as long. */
export function warmUpPace(): void {
  for (let turn = 0; turn < 300; turn++) measurePace()
}

/** One look in ten is at least as fast: a core that has all of its speed, if only now and then. */
const FULL_SPEED = 0.1

/**
 * How many times slower than at its full speed the core was before each of these looks: the slower of the moments right
 * before and right after.
 */
export function slowdownsIn(seen: readonly { paceMs: number }[]): number[] {
  const paces = seen.map(({ paceMs }) => paceMs).sort((a, b) => a - b)
  const full = percentile(paces, FULL_SPEED)
  return seen.map(({ paceMs }, index) => Math.max(1, paceMs / full, (seen[index - 1]?.paceMs ?? 0) / full))
}

/** How fast the cores were on the average of a slice, as `measurePace` tells. */
export interface Paced {
  paceMs: number
}

/** How many slices count. */
export interface SliceCount {
  used: number
  all: number
}

const COUNTED = 1 / 4

/** The quarter of the slices in which the cores were fastest, whatever the program needed in them. */
export function calmest<Slice extends Paced>(slices: readonly Slice[]): Slice[] {
  return slices.toSorted((a, b) => a.paceMs - b.paceMs).slice(0, Math.ceil(slices.length * COUNTED))
}
