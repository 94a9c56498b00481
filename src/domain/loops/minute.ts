/** Sums over the last minute, in steps of five seconds: a value, never changed in place. */
export interface Minute {
  /** The step of the newest sum, since 1970. */
  step: number
  /** Newest first, at most twelve; steps without anything are 0. */
  sums: readonly number[]
}

const STEP_MS = 5_000
const STEPS = 12

export const NOTHING_YET: Minute = { step: 0, sums: [] }

export function withAmount(minute: Minute, now: number, amount: number): Minute {
  const step = Math.max(minute.step, Math.floor(now / STEP_MS))
  const passed = step - minute.step
  const [newest = 0, ...older] = passed === 0 ? minute.sums : [0, ...zeros(passed - 1), ...minute.sums]
  return { step, sums: [newest + amount, ...older].slice(0, STEPS) }
}

export function sumOf({ step, sums }: Minute, now: number): number {
  const passed = Math.max(0, Math.floor(now / STEP_MS) - step)
  let sum = 0
  for (let place = 0; place < STEPS - passed; place++) sum += sums[place] ?? 0
  return sum
}

function zeros(count: number): number[] {
  return Array.from({ length: Math.min(Math.max(count, 0), STEPS) }, () => 0)
}
