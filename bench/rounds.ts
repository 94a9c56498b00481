/**
 * Each target once a round, in another order in each: what the host does every second or two would otherwise always meet
 * the same one.
 */
export async function inRounds<Target>(
  rounds: number,
  targets: readonly Target[],
  measure: (target: Target, round: number) => Promise<void>,
): Promise<void> {
  for (let round = 1; round <= rounds; round++) {
    const order = targets.map((target) => ({ target, place: Math.random() })).sort((a, b) => a.place - b.place)
    for (const { target } of order) await measure(target, round)
  }
}
