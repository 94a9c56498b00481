import type { Skipped } from '../../domain/pricing/lists/listed-model.ts'
import type { PriceList } from '../../domain/pricing/price.ts'
import { canonicalPrices, type ModelFacts } from '../../store/control/registry.ts'
import type { RegistryItem } from '../../store/control/registry-items.ts'
import { entryView } from './registry-view.ts'

/** What a list would have the registry hold. */
export interface Proposal {
  /** As the list writes it, for the report. */
  name: string
  facts: ModelFacts
  /** Null: the list says nothing of prices, they stay. */
  prices: PriceList | null
}

export interface FieldChange {
  field: string
  before: unknown
  after: unknown
}

export interface ImportPlan {
  added: Proposal[]
  changed: { proposal: Proposal; changes: FieldChange[] }[]
  unchanged: number
  skipped: Skipped[]
}

export type Present = ReadonlyMap<string, RegistryItem>

export function modelKey(provider: string, model: string): string {
  return JSON.stringify([provider, model])
}

/** What would change. Rows of the configuration file are left alone; of two rows for one model the first counts. */
export function planImport(proposals: readonly Proposal[], present: Present): ImportPlan {
  const plan: ImportPlan = { added: [], changed: [], unchanged: 0, skipped: [] }
  const seen = new Set<string>()
  for (const proposal of proposals) {
    const { name, facts } = proposal
    const key = modelKey(facts.provider, facts.model)
    const before = present.get(key)
    if (seen.has(key)) plan.skipped.push({ name, reason: 'the list has this model twice; the first is used' })
    else if (before?.managedBy === 'config') plan.skipped.push({ name, reason: 'the configuration file manages it' })
    else if (before === undefined) plan.added.push(proposal)
    else {
      const changes = differences(before, proposal)
      if (changes.length === 0) plan.unchanged++
      else plan.changed.push({ proposal, changes })
    }
    seen.add(key)
  }
  return plan
}

function differences(present: RegistryItem, { facts, prices }: Proposal): FieldChange[] {
  const known = present.version?.prices ?? null
  const before: Record<string, unknown> = entryView(present.facts, known)
  const after: Record<string, unknown> = entryView(facts, prices === null ? known : canonicalPrices(prices))
  return Object.keys(after).flatMap((field) => {
    const change = { field, before: before[field], after: after[field] }
    return JSON.stringify(change.before) === JSON.stringify(change.after) ? [] : [change]
  })
}
