import { median } from './median.ts'

/** One look at the event loop: how long it had been held, and how long a fixed piece of work took right after. */
export interface Seen {
  atMs: number
  measuredMs: number
  clockMs: number
  cpuMs: number
  paceMs: number
}

/**
 * How many times slower than usual the core was during each hold: the slower of the moments right before and right after
 * it. Hosts take speed away without a word (the one that these figures come from goes down to a twelfth, for 60 to 100 ms
 * in every one and a half seconds): what was held by that is no operation of ours. A core is never called faster than usual.
 */
export function slowdownsIn(seen: readonly Pick<Seen, 'paceMs'>[]): number[] {
  const usual = median(seen.map(({ paceMs }) => paceMs)) ?? 1
  return seen.map(({ paceMs }, index) => Math.max(1, paceMs / usual, (seen[index - 1]?.paceMs ?? 0) / usual))
}
