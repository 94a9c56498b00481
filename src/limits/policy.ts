import type { Limits } from '../domain/limits.ts'
import type { Payer } from './spend-ledger.ts'

/** What applies to a call: a hard budget, other limits, or nothing. */
export type Binding = 'hard' | 'limited' | 'nothing'

/** What happens to a call whose limits cannot be checked; null: refused under a hard budget, allowed otherwise. */
export type LimitsWhenDown = 'refuse' | 'allow' | null

export function bindingOf({ key, workspace }: Payer): Binding {
  const [own, joint] = [bindingOfLimits(key.limits), bindingOfLimits(workspace.limits)]
  if (own === 'hard' || joint === 'hard') return 'hard'
  return own === 'limited' || joint === 'limited' ? 'limited' : 'nothing'
}

const known = new WeakMap<Limits, Binding>()

/** Limits are immutable values of the snapshot, so they are inspected once. */
function bindingOfLimits(limits: Limits | null): Binding {
  if (limits === null) return 'nothing'
  let binding = known.get(limits)
  if (binding === undefined) {
    const { rpm, tpm, max_parallel: parallel, budget, budgets } = limits
    const isLimited = [rpm, tpm, parallel, budget, budgets].some((limit) => limit !== undefined)
    const isHard = [budget, ...(budgets ?? [])].some((each) => each?.mode === 'hard')
    binding = isHard ? 'hard' : isLimited ? 'limited' : 'nothing'
    known.set(limits, binding)
  }
  return binding
}

export function refusesUnchecked(policy: LimitsWhenDown, binding: Binding): boolean {
  if (binding === 'nothing' || policy === 'allow') return false
  return binding === 'hard' || policy === 'refuse'
}
