import { coversWorkspace } from '../domain/access.ts'
import type { Period } from '../domain/budgets/budget-period.ts'
import { isUsable, type Key } from '../domain/key.ts'
import { type Limits, statedLimits } from '../domain/limits.ts'
import { asPicodollars, exactUsd, picodollarsOfUsd } from '../domain/pricing/price.ts'
import type { Snapshot } from '../domain/snapshot.ts'
import { openingOf } from '../limits/admission.ts'
import { forecastSpend } from '../limits/forecast.ts'
import type { Scope, ScopeStatus } from '../limits/ledger.ts'
import { readRefusals } from '../request-log/usage/refusals.ts'
import { mapInTurns } from '../store/engine/in-turns.ts'
import { checkCovered } from './access/permit.ts'
import { budgetState, NONE_REFUSED, type Refused, refusedByScope, scopeName } from './budget-state.ts'
import type { budgetOperations } from './contract/budgets.ts'
import { timestamp, timestampOrNull } from './contract/fields.ts'
import type { LedgerView, ManagementDeps } from './deps.ts'
import { decodeCursor, page } from './requests/cursor.ts'
import type { HandlersOf } from './router.ts'
import { verify } from './verify.ts'
import { checkWorkspace } from './workspaces.ts'

export function budgetHandlers(deps: ManagementDeps): HandlersOf<typeof budgetOperations> {
  return {
    async 'budgets.list'({ query: { workspace, state, limit, cursor } }, { now, access }) {
      const after = decodeCursor(cursor, 1)
      if (workspace !== undefined) {
        checkCovered(access, workspace)
        await checkWorkspace(deps.db, workspace)
      }
      const candidates = limitedScopes(deps.snapshot()).filter(
        (each) =>
          (workspace === undefined ? coversWorkspace(access, each.workspace) : each.workspace === workspace) &&
          (after === null || each.place > String(after[0])) &&
          (each.key === null || isUsable(each.key, now)),
      )
      const refused = await readRefused(deps, candidates, now)
      const rows = await (state === undefined ? candidates : closeTo(state, candidates, deps.ledger, refused, now))
      const looked = await withStatus(rows.slice(0, limit + 1), deps.ledger)
      const items = await mapInTurns(looked, ([each, status]) => ({
        each,
        item: toBudgetView(each, status, refused.get(scopeName(each.scope)) ?? NONE_REFUSED, now),
      }))
      return page(
        items,
        limit,
        ({ item }) => item,
        ({ each }) => [each.place],
      )
    },
    'verify.ledger': ({ query }) => verify(deps, query),
  }
}

interface LimitedScope {
  scope: Scope
  name: string
  workspace: string
  limits: Limits
  /** Null for a workspace. */
  key: Key | null
  /** No two scopes have the same. A blank sorts before every letter of a name. */
  place: string
}

/** A snapshot never changes, and it may have ten thousand keys: they are put in order once. */
const ordered = new WeakMap<Snapshot, readonly LimitedScope[]>()

/** A workspace before its keys. */
function limitedScopes(snapshot: Snapshot): readonly LimitedScope[] {
  const known = ordered.get(snapshot)
  if (known !== undefined) return known
  const scopes: LimitedScope[] = []
  for (const { name, limits } of snapshot.workspaces.values()) {
    if (!hasAny(limits)) continue
    scopes.push({ scope: { kind: 'workspace', id: name }, name, workspace: name, limits, key: null, place: name })
  }
  for (const key of snapshot.keys.values()) {
    const { id, name, workspace, limits } = key
    if (workspace === null || !hasAny(limits)) continue
    scopes.push({ scope: { kind: 'key', id }, name, workspace, limits, key, place: `${workspace} ${id}` })
  }
  scopes.sort((a, b) => (a.place < b.place ? -1 : 1))
  ordered.set(snapshot, scopes)
  return scopes
}

type RefusedByScope = ReadonlyMap<string, Refused>

async function readRefused(
  deps: ManagementDeps,
  candidates: readonly LimitedScope[],
  now: number,
): Promise<RefusedByScope> {
  const { keys } = deps.snapshot()
  const workspaces = [...new Set(candidates.map(({ workspace }) => workspace))]
  return refusedByScope(await readRefusals(deps.reads, workspaces, now), (id) => keys.get(id)?.limits ?? null)
}

/** Scopes without use or refusals are far from every limit, and most keys are such: only the others are checked. */
async function closeTo(
  state: 'near' | 'over',
  candidates: readonly LimitedScope[],
  ledger: LedgerView,
  refused: RefusedByScope,
  now: number,
): Promise<LimitedScope[]> {
  const used = new Set([...(await ledger.scopes()).map(scopeName), ...refused.keys()])
  const looked = await withStatus(
    candidates.filter(({ scope }) => used.has(scopeName(scope))),
    ledger,
  )
  return looked.flatMap(([each, status]) => {
    const found = budgetState(each.limits, status, refused.get(scopeName(each.scope)) ?? NONE_REFUSED, now)
    return found === 'over' || found === state ? [each] : []
  })
}

async function withStatus(
  rows: readonly LimitedScope[],
  ledger: LedgerView,
): Promise<[each: LimitedScope, status: ScopeStatus][]> {
  const statuses = await ledger.status(rows.map(({ scope }) => scope))
  return rows.flatMap((each, place): [LimitedScope, ScopeStatus][] => {
    const status = statuses[place]
    return status === undefined ? [] : [[each, status]]
  })
}

/** A default output limit is nothing that is used up. */
function hasAny(limits: Limits | null): limits is Limits {
  const { max_output_tokens: _default, ...used } = limits ?? {}
  return Object.values(used).some((limit) => limit !== undefined)
}

function toBudgetView(
  { scope, name, workspace, limits, key }: LimitedScope,
  status: ScopeStatus,
  refused: Refused,
  now: number,
) {
  const { budget } = limits
  const forecast = budget === undefined ? null : forecastSpend(status.periods[budget.per], key?.createdAt ?? 0, now)
  return {
    scope: scope.kind,
    id: scope.id,
    name,
    workspace,
    limits: statedLimits(limits),
    state: budgetState(limits, status, refused, now),
    periods: {
      day: money('day', limits, status),
      week: money('week', limits, status),
      month: money('month', limits, status),
      total: money('total', limits, status),
    },
    forecast_usd:
      forecast === null ? null : exactUsd(asPicodollars(forecast + (budget === undefined ? 0n : openingOf(budget)))),
    refused_last_day: refused.calls,
    requests_last_minute: status.requestsLastMinute,
    tokens_last_minute: status.tokensLastMinute,
    in_flight: status.inFlight,
    leased_usd: exactUsd(status.idle),
  }
}

function money(period: Period, { budget }: Limits, { periods }: ScopeStatus) {
  const { spent, held, startsAt, resetsAt } = periods[period]
  const limit = budget?.per === period ? picodollarsOfUsd(budget.usd) : null
  const opening = budget?.per === period ? openingOf(budget) : asPicodollars(0n)
  const left = limit === null ? null : limit - spent - held - opening
  return {
    limit_usd: limit === null ? null : exactUsd(limit),
    spent_usd: exactUsd(asPicodollars(spent + opening)),
    held_usd: exactUsd(held),
    opening_usd: exactUsd(opening),
    remaining_usd: left === null ? null : exactUsd(asPicodollars(left < 0n ? 0n : left)),
    starts_at: period === 'total' ? null : timestamp(startsAt),
    resets_at: timestampOrNull(resetsAt),
  }
}
