/** Who is measured how often. */
export interface Rounds<Target> {
  rounds: number
  targets: readonly Target[]
  /** Those that are compared with each other to a few hundredths; the others take part in every fourth round only. */
  isClose(target: Target): boolean
}

const OTHERS_EVERY = 4

/**
 * Each target once a round, in another order in each: what the host does every second or two would otherwise always meet
 * the same one.
 */
export async function inRounds<Target>(
  { rounds, targets, isClose }: Rounds<Target>,
  measure: (target: Target, round: number) => Promise<void>,
): Promise<void> {
  for (let round = 1; round <= rounds; round++) {
    const taking = targets.filter((target) => (round - 1) % OTHERS_EVERY === 0 || isClose(target))
    const order = taking.map((target) => ({ target, place: Math.random() })).sort((a, b) => a.place - b.place)
    for (const { target } of order) await measure(target, round)
  }
}
