import type { z } from 'zod'
import type { Limits } from '../domain/limits.ts'
import { litellmFacts, teamOf } from '../domain/litellm/facts.ts'
import { asPicodollars, type Picodollars, picodollarsOfUsd } from '../domain/pricing/price.ts'
import { budgetState } from '../limits/admission.ts'
import type { Scope } from '../limits/ledger.ts'
import type { Key } from '../management/contract/keys.ts'
import type { LitellmDeps } from './deps.ts'
import { durationOf } from './durations.ts'
import { newestHashes } from './find-keys.ts'
import { exactNumber, money } from './json.ts'

export type KeyView = z.output<typeof Key>

/** Of a key or workspace: of the current period of its budget, else in total. */
export interface Spend {
  spent: Picodollars
  resetsAt: string | null
}

interface Spending {
  scope: Scope
  /** Of the snapshot, with what was spent before it moved in. */
  limits: Limits | null
  opening: { usd: string } | null
}

/** As the gateway counts it now, in the order of what is asked for. */
export async function spendsOf(asked: readonly Spending[], { ledger }: Pick<LitellmDeps, 'ledger'>): Promise<Spend[]> {
  const statuses = await ledger.status(asked.map(({ scope }) => scope))
  return asked.map(({ limits, opening }, place) => {
    const status = statuses[place]
    if (status === undefined) return { spent: asPicodollars(0n), resetsAt: null }
    const state = limits === null ? null : budgetState(status, limits)
    if (state === null) {
      const before = picodollarsOfUsd(opening?.usd ?? '0')
      return { spent: asPicodollars(status.periods.total.spent + before), resetsAt: null }
    }
    const { spent, resetsAt } = state
    return { spent, resetsAt: resetsAt === null ? null : new Date(resetsAt).toISOString() }
  })
}

export function limitsView(limits: Limits | null, writtenDuration: string | undefined) {
  const { budget, rpm = null, tpm = null, max_parallel = null } = limits ?? {}
  return {
    max_budget: budget?.mode === 'hard' ? exactNumber(budget.usd) : null,
    soft_budget: budget?.mode === 'soft' ? exactNumber(budget.usd) : null,
    budget_duration: durationOf(budget?.per ?? null, writtenDuration),
    tpm_limit: tpm,
    rpm_limit: rpm,
    max_parallel_requests: max_parallel,
  }
}

/** The ids that LiteLLM's tools know teams by, by the names of their workspaces. */
export async function teamIds({ db }: Pick<LitellmDeps, 'db'>): Promise<(workspace: string) => string> {
  const rows = await db.selectFrom('workspaces').select(['name', 'description']).execute()
  const ids = new Map(rows.map(({ name, description }) => [name, teamOf(description).facts.team_id ?? name]))
  return (workspace) => ids.get(workspace) ?? workspace
}

/** `always`: also of a key that was made without a team. */
export type NamesTeam = 'always' | 'if-given'

export async function keyObjects(keys: readonly KeyView[], namesTeam: NamesTeam, deps: LitellmDeps) {
  const hashes = await newestHashes(
    deps.db,
    keys.map(({ id }) => id),
  )
  const known = deps.snapshot().keys
  const spends = await spendsOf(
    keys.map(({ id, opening_spend }) => ({
      scope: { kind: 'key', id },
      limits: known.get(id)?.limits ?? null,
      opening: opening_spend,
    })),
    deps,
  )
  const teamId = await teamIds(deps)
  return keys.map((key, place) => {
    const facts = litellmFacts(key.note)
    const hasTeam = namesTeam === 'always' || key.workspace !== 'default' || facts.has_team === true
    const { spent = asPicodollars(0n), resetsAt = null } = spends[place] ?? {}
    const view = limitsView(key.limits, facts.budget_duration)
    return {
      token: hashes.get(key.id) ?? null,
      key_name: key.prefix,
      key_alias: facts.key_alias ?? key.name,
      spend: money(spent),
      ...view,
      soft_budget: facts.soft_budget === undefined ? view.soft_budget : exactNumber(facts.soft_budget),
      budget_reset_at: resetsAt,
      expires: key.expires_at,
      models: facts.models ?? key.allowed_models ?? [],
      user_id: facts.user_id ?? null,
      team_id: hasTeam ? teamId(key.workspace) : null,
      blocked: key.paused_at !== null,
      metadata: facts.metadata ?? {},
      tags: facts.tags ?? [],
      aliases: {},
      config: {},
      permissions: {},
      model_max_budget: {},
      allowed_cache_controls: [],
      allowed_routes: [],
      last_active: key.last_used_at,
      created_at: key.created_at,
      updated_at: key.created_at,
      litellm_budget_table: null,
    }
  })
}

export type KeyObject = Awaited<ReturnType<typeof keyObjects>>[number]
