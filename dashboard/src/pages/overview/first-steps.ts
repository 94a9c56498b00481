import type { Item, Reply } from '../../api/client.ts'

export const STEPS = ['provider', 'test', 'call', 'key', 'budget'] as const
export type StepName = (typeof STEPS)[number]
export type StepState = 'done' | 'skipped' | 'now' | 'later'

export interface Installation {
  status: Pick<Reply<'status.get'>, 'catalog' | 'providers'>
  hasCalls: boolean
  /** How many this workspace has. */
  keys: number
  budgets: readonly Pick<Item<'budgets.list'>, 'limits'>[]
}

/** What a new installation has done already, by what there is. */
export function doneSteps({ status, hasCalls, keys, budgets }: Installation): Set<StepName> {
  const answers =
    status.catalog.some(({ read_at: at }) => at !== null) ||
    status.providers.some(({ last_success_at: at }) => at !== null)
  const done: Record<StepName, boolean> = {
    provider: status.providers.some(({ configured }) => configured),
    test: hasCalls || answers,
    call: hasCalls,
    // The first one comes with the installation; an application gets its own.
    key: keys > 1,
    budget: budgets.some(({ limits }) => limits.budget !== undefined),
  }
  return new Set(STEPS.filter((name) => done[name]))
}

/** Every step, the first open one being the one to do now; null when none is left. */
export function stepStates(
  done: ReadonlySet<StepName>,
  skipped: readonly string[],
): { name: StepName; state: StepState }[] | null {
  const open = STEPS.filter((name) => !done.has(name) && !skipped.includes(name))
  if (open.length === 0) return null
  return STEPS.map((name) => {
    if (done.has(name)) return { name, state: 'done' }
    if (skipped.includes(name)) return { name, state: 'skipped' }
    return { name, state: name === open[0] ? 'now' : 'later' }
  })
}
