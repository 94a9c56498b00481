import type { Limits } from '../../domain/limits.ts'
import { limitOf, warnFromOf } from '../admission.ts'
import { amountOf } from '../amount.ts'
import type { SlotLimits } from './slot.ts'

const NO_LIMITS: SlotLimits = {
  rpm: Number.POSITIVE_INFINITY,
  tpm: Number.POSITIVE_INFINITY,
  parallel: Number.POSITIVE_INFINITY,
  budget: null,
}

const known = new WeakMap<Limits, SlotLimits>()

/** Limits are immutable values of the snapshot, so they are read once. */
export function slotLimits(limits: Limits | null): SlotLimits {
  if (limits === null) return NO_LIMITS
  let slot = known.get(limits)
  if (slot === undefined) {
    const { rpm, tpm, max_parallel: parallel, budget } = limits
    slot = {
      rpm: rpm ?? Number.POSITIVE_INFINITY,
      tpm: tpm ?? Number.POSITIVE_INFINITY,
      parallel: parallel ?? Number.POSITIVE_INFINITY,
      budget:
        budget === undefined
          ? null
          : {
              per: budget.per,
              limit: amountOf(limitOf(budget)),
              isHard: budget.mode !== 'soft',
              warnFrom: warnFromOf(budget),
            },
    }
    known.set(limits, slot)
  }
  return slot
}
