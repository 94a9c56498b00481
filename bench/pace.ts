import { median } from './median.ts'

/**
 * How fast the core is at a moment. Hosts take speed away without a word: the one that our figures come from slows all
 * cores down to a twelfth for 60 to 100 ms in every one and a half seconds. What is measured then says nothing about a
 * program.
 */
const STEPS = 5_000

/** Milliseconds of a piece of work that needs no memory (7 µs); the least of three, for others may take the core in one. */
export function measurePace(): number {
  let least = Number.POSITIVE_INFINITY
  for (let turn = 1; turn <= 3; turn++) {
    const began = performance.now()
    let value = turn
    for (let step = 0; step < STEPS; step++) value = (Math.imul(value, 1_664_525) + 1_013_904_223) | 0
    // Used, or the work would be left out.
    if (value !== 0) least = Math.min(least, performance.now() - began)
  }
  return least
}

/** Until it is compiled the work takes ten times as long. */
export function warmUpPace(): void {
  for (let turn = 0; turn < 300; turn++) measurePace()
}

/**
 * How many times slower than usual the core was before each of these looks: the slower of the moments right before and
 * right after. It is never called faster than usual.
 */
export function slowdownsIn(seen: readonly { paceMs: number }[]): number[] {
  const usual = median(seen.map(({ paceMs }) => paceMs)) ?? 1
  return seen.map(({ paceMs }, index) => Math.max(1, paceMs / usual, (seen[index - 1]?.paceMs ?? 0) / usual))
}

/** A core that is this much slower is slowed; a little of that is everywhere. */
const SLOWED = 1.5
const EVERY_MS = 2

export interface PaceWatch {
  /** In which share of the looks between these moments the core was slowed. */
  slowedShare(fromMs: number, toMs: number): number
  stop(): void
}

export function watchPace(): PaceWatch {
  warmUpPace()
  const seen: { atMs: number; paceMs: number }[] = []
  const looks = setInterval(() => seen.push({ atMs: performance.now(), paceMs: measurePace() }), EVERY_MS)
  return {
    slowedShare(fromMs, toMs) {
      const within = seen.filter(({ atMs }) => atMs >= fromMs && atMs <= toMs)
      return slowdownsIn(within).filter((slowdown) => slowdown > SLOWED).length / Math.max(1, within.length)
    },
    stop: () => clearInterval(looks),
  }
}

const STILL_CALM = 0.02

/** The slices in which the host left the core its speed; all of them where these are too few to say anything. */
export function undisturbed<Slice extends { slowedShare: number }>(slices: readonly Slice[]): readonly Slice[] {
  const calm = slices.filter(({ slowedShare }) => slowedShare <= STILL_CALM)
  return calm.length >= Math.max(1, slices.length / 5) ? calm : slices
}

/** How many of them that are. */
export interface SliceCount {
  used: number
  all: number
}
