import { isCharge, isTool } from '../line.ts'
import { allParts, perCell, type Step } from './step.ts'

/** Too early: the report of this period still changes. */
export const notSettled: Step = perCell((cell, rests, { now }) =>
  now >= cell.settlesAt
    ? []
    : allParts(cell, rests).map((each) => ({ ...each, cause: 'not_settled', facts: { since: cell.settlesAt } })),
)

/** Tax, fees, credits and lines of unknown meaning stay lines of their own. */
export const charges: Step = perCell((cell, rests) =>
  cell.charges.flatMap(({ class: name }, charge) =>
    isCharge(name) && rests.charge(charge) !== 0n
      ? [{ part: { charge }, amount: rests.charge(charge), cause: 'charges', facts: { class: name } }]
      : [],
  ),
)

/** Tools that the provider ran and bills by use. */
export const tools: Step = perCell((cell, rests) =>
  cell.charges.flatMap(({ class: name, quantity }, charge) =>
    isTool(name) && rests.charge(charge) !== 0n
      ? [
          {
            ...{ part: { charge }, amount: rests.charge(charge), cause: 'tools' as const },
            facts: { class: name, ...(quantity === null ? {} : { quantity }) },
          },
        ]
      : [],
  ),
)
