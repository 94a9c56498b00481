import type { Random } from '../simulator/random.ts'

/** Realistic durations and sizes: most near the median, a few far above it. */
export function lognormal(random: Random, median: number, sigma: number): number {
  // Box–Muller; 1 - random is never 0, so its logarithm exists.
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
  return median * Math.exp(sigma * normal)
}

/** The number of independent events, given the expected number. */
export function poisson(random: Random, expected: number): number {
  // Knuth's product would underflow for large expectations, where the normal distribution is a good approximation.
  if (expected > 60) return Math.max(0, Math.round(expected + Math.sqrt(expected) * bell(random)))
  const floor = Math.exp(-expected)
  let count = 0
  for (let product = random(); product > floor; product *= random()) count++
  return count
}

function bell(random: Random): number {
  return Math.log(lognormal(random, 1, 1))
}

/** One of these, by weight. */
export function weighted<T>(random: Random, choices: readonly (readonly [T, number])[]): T {
  let rest = random() * choices.reduce((sum, [, weight]) => sum + weight, 0)
  for (const [choice, weight] of choices) {
    rest -= weight
    if (rest < 0) return choice
  }
  const last = choices.at(-1)
  if (last === undefined) throw new RangeError('nothing to choose from')
  return last[0]
}
