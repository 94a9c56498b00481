import { coversWorkspace } from '../domain/access.ts'
import type { Period } from '../domain/budgets/budget-period.ts'
import { isUsable, type Key } from '../domain/key.ts'
import { type Limits, statedLimits } from '../domain/limits.ts'
import { asPicodollars, exactUsd, picodollarsOfUsd } from '../domain/pricing/price.ts'
import type { Snapshot } from '../domain/snapshot.ts'
import { openingOf, shiftOf } from '../limits/admission.ts'
import { forecastRange, forecastSpend, forecastSpread } from '../limits/forecast.ts'
import type { Scope, ScopeStatus } from '../limits/ledger.ts'
import { readDaySpend, wholeDays } from '../request-log/usage/day-spend.ts'
import { readRefusals } from '../request-log/usage/refusals.ts'
import { mapInTurns } from '../store/engine/in-turns.ts'
import { checkCovered } from './access/permit.ts'
import { budgetState, NONE_REFUSED, type Refused, refusedByScope, scopeName } from './budget-state.ts'
import type { budgetOperations } from './contract/budgets.ts'
import { timestamp, timestampOrNull } from './contract/fields.ts'
import { NOTHING_OPEN, type OpenMoney, readOpenMoney } from './corrections/open-money.ts'
import type { LedgerView, ManagementDeps } from './deps.ts'
import { decodeCursor, page } from './requests/cursor.ts'
import type { HandlersOf } from './router.ts'
import { readTemplateBudgets, type TemplateBudget } from './usage/template-budgets.ts'
import { verify } from './verify.ts'
import { checkWorkspace } from './workspaces.ts'

export function budgetHandlers(deps: ManagementDeps): HandlersOf<typeof budgetOperations> {
  return {
    async 'budgets.list'({ query: { workspace, state, values, limit, cursor } }, { now, access }) {
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
      const [open, spreads] = [await readOpenMoney(deps.reads, looked, now), await readSpreads(deps, looked, now)]
      const owners = values === true ? looked.slice(0, limit).map(([each]) => each) : []
      const templates = new Map(
        (await readTemplateBudgets(deps, owners, now)).map((budgets, place) => [owners[place], budgets]),
      )
      const items = await mapInTurns(looked, ([each, status]) => ({
        each,
        item: toBudgetView(
          each,
          { status, open: open.get(scopeName(each.scope)) ?? NOTHING_OPEN },
          {
            refused: refused.get(scopeName(each.scope)) ?? NONE_REFUSED,
            spread: spreads.get(each.place) ?? null,
            values: templates.get(each) ?? null,
            now,
          },
        ),
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

/** How sure the forecasts of months are, by place: days of other periods are too few. */
async function readSpreads(
  deps: ManagementDeps,
  rows: readonly [each: LimitedScope, status: ScopeStatus][],
  now: number,
): Promise<Map<string, bigint>> {
  const monthly = rows.filter(([{ limits }]) => limits.budget?.per === 'month')
  const found = new Map<string, bigint>()
  for (const workspace of new Set(monthly.map(([each]) => each.workspace))) {
    const own = monthly.filter(([each]) => each.workspace === workspace)
    const ids = own.flatMap(([{ key }]) => key?.id ?? [])
    const isWhole = ids.length < own.length
    const from = own[0]?.[1].periods.month.startsAt ?? now
    const spend = await readDaySpend(deps.reads, { workspace, keyIds: isWhole ? null : ids, from })
    for (const [{ key, place }, { periods }] of own) {
      const days = wholeDays(spend, key?.id ?? null, Math.max(from, key?.createdAt ?? 0))
      const spread = forecastSpread(days, (periods.month.resetsAt ?? now) - now)
      if (spread !== null) found.set(place, spread)
    }
  }
  return found
}

/** A default output limit is nothing that is used up. */
function hasAny(limits: Limits | null): limits is Limits {
  const { max_output_tokens: _default, unconfirmed: _policy, ...used } = limits ?? {}
  return Object.values(used).some((limit) => limit !== undefined)
}

interface Beside {
  refused: Refused
  spread: bigint | null
  /** Null: they were not asked for. */
  values: TemplateBudget[] | null
  now: number
}

function toBudgetView(
  { scope, name, workspace, limits, key }: LimitedScope,
  used: Used,
  { refused, spread, values, now }: Beside,
) {
  const { budget } = limits
  const { status } = used
  const forecast = budget === undefined ? null : forecastSpend(status.periods[budget.per], key?.createdAt ?? 0, now)
  const shift = budget === undefined ? 0n : shiftOf(budget)
  const { low, high } = forecastRange(forecast, spread, budget === undefined ? 0n : status.periods[budget.per].spent)
  return {
    scope: scope.kind,
    id: scope.id,
    name,
    workspace,
    limits: statedLimits(limits),
    state: budgetState(limits, status, refused, now),
    periods: {
      day: money('day', limits, used),
      week: money('week', limits, used),
      month: money('month', limits, used),
      total: money('total', limits, used),
    },
    forecast_usd: forecast === null ? null : exactUsd(asPicodollars(forecast + shift)),
    forecast_low_usd: low === null ? null : exactUsd(asPicodollars(low + shift)),
    forecast_high_usd: high === null ? null : exactUsd(asPicodollars(high + shift)),
    values,
    refused_last_day: refused.calls,
    requests_last_minute: status.requestsLastMinute,
    tokens_last_minute: status.tokensLastMinute,
    in_flight: status.inFlight,
    leased_usd: exactUsd(status.idle),
  }
}

interface Used {
  status: ScopeStatus
  open: OpenMoney
}

function money(period: Period, { budget }: Limits, { status: { periods }, open }: Used) {
  const { spent: counted, held, startsAt, resetsAt } = periods[period]
  const limit = budget?.per === period ? picodollarsOfUsd(budget.usd) : null
  const opening = budget?.per === period ? openingOf(budget) : asPicodollars(0n)
  const { unconfirmed, corrected } = open[period]
  // The counter knows a call at once, the sums a moment later.
  const spent = larger(counted + corrected - unconfirmed, 0n)
  const left = limit === null ? null : limit - spent - unconfirmed - held - opening
  return {
    limit_usd: limit === null ? null : exactUsd(limit),
    spent_usd: exactUsd(asPicodollars(spent + opening)),
    unconfirmed_usd: exactUsd(asPicodollars(unconfirmed)),
    held_usd: exactUsd(held),
    opening_usd: exactUsd(opening),
    remaining_usd: left === null ? null : exactUsd(asPicodollars(larger(left, 0n))),
    starts_at: period === 'total' ? null : timestamp(startsAt),
    resets_at: timestampOrNull(resetsAt),
  }
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}
