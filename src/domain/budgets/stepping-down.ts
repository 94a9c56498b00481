import type { Limits } from '../limits.ts'

/** The routes that budgets name for calls which do not fit, each with the field that names it. */
export function routesToStepTo({ budget, budgets = [] }: Limits): { path: string; alias: string }[] {
  const named = [
    { path: 'budget', alias: budget?.step_down_to },
    ...budgets.map((each, index) => ({ path: `budgets[${index}]`, alias: each.step_down_to })),
  ]
  return named.flatMap(({ path, alias }) => (alias === undefined ? [] : [{ path: `${path}.step_down_to`, alias }]))
}
