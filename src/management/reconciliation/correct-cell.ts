import { GatewayError } from '../../domain/errors.ts'
import { signedUsd } from '../../domain/pricing/price.ts'
import type { Attributed } from '../../reconcile/attribute.ts'
import { billedUnconfirmed, type ConfirmedCall, confirmedCalls, type UnconfirmedCall } from '../../reconcile/confirm.ts'
import { unconfirmedCalls } from '../../request-log/reconcile/unconfirmed-calls.ts'
import { timestamp } from '../contract/fields.ts'
import type { InputOf } from '../contract/operation.ts'
import type { reconciliationOperations } from '../contract/reconciliation.ts'
import { correctCalls } from '../corrections/corrections.ts'
import type { ManagementDeps } from '../deps.ts'
import { untilCaughtUp } from '../requests/request-filters.ts'
import type { Context } from '../router.ts'
import { type Compared, compareMonth } from './compare.ts'

type Body = InputOf<(typeof reconciliationOperations)['reconciliation.correct']>['body']
type Deps = Pick<ManagementDeps, 'reads'>

/** At a time: more than a person can have looked at. */
const MOST_CALLS = 2_000

/** The unconfirmed calls of a cell, with those that were corrected. */
async function callsOf({ reads }: Deps, { cell }: Attributed, { names }: Compared): Promise<UnconfirmedCall[]> {
  const { provider, model, start: from, end: to } = cell
  const found = await unconfirmedCalls(reads, { provider, from, to, limit: MOST_CALLS + 1 })
  return found.filter((call) => names(provider, call.model) === model)
}

interface OpenCalls {
  open_calls: number
  open_most_usd: string
  billed_usd: string
  keys: { id: string; name: string | null; open_calls: number }[]
}

export type OpenOfCells = (provider: string, period: string, model: string | null) => OpenCalls | null

/** By cell: what is neither confirmed nor released. */
export async function openOfCells(deps: Deps, compared: Compared): Promise<OpenOfCells> {
  const open = new Map<string, { each: Attributed; calls: UnconfirmedCall[] }>()
  for (const each of compared.attributed) {
    if (each.cell.intervals.every(({ unconfirmed }) => unconfirmed.calls === 0n)) continue
    const calls = (await callsOf(deps, each, compared)).filter(({ confirmed }) => confirmed === null)
    if (calls.length > 0) open.set(placeOf(each.cell), { each, calls })
  }
  const names = await keyNames(deps, [...open.values()])
  return (provider, period, model) => {
    const found = open.get(placeOf({ provider, period, model }))
    if (found === undefined) return null
    const { each, calls } = found
    const most = calls.reduce((sum, call) => sum + call.most, 0n)
    const keys = [...Map.groupBy(calls, ({ keyId }) => keyId)].map(([id, own]) => ({
      ...{ id, name: names.get(id) ?? null, open_calls: own.length },
    }))
    return {
      ...{ open_calls: calls.length, open_most_usd: signedUsd(most), billed_usd: signedUsd(billedUnconfirmed(each)) },
      keys: keys.toSorted((a, b) => b.open_calls - a.open_calls),
    }
  }
}

async function keyNames({ reads }: Deps, open: readonly { calls: readonly UnconfirmedCall[] }[]) {
  const ids = [...new Set(open.flatMap(({ calls }) => calls.map(({ keyId }) => keyId)))]
  if (ids.length === 0) return new Map<string, string>()
  const found = await reads.selectFrom('keys').select(['id', 'name']).where('id', 'in', ids).execute()
  return new Map(found.map(({ id, name }) => [id, name]))
}

function placeOf({ provider, period, model }: Pick<Attributed['cell'], 'provider' | 'period' | 'model'>): string {
  return JSON.stringify([provider, period, model])
}

/**
 * Confirms or releases what reports that no longer change say of unconfirmed calls: of one cell, or of every cell of the
 * provider in that time that says the same.
 */
export async function correctCells(deps: ManagementDeps, body: Body, context: Context) {
  const { kind, provider, model, period, key, reason } = body
  await untilCaughtUp(deps)
  const { now } = context
  const compared = await compareMonth(deps, { month: monthOf(period), provider, now })
  const cells = settledCells(compared, body, now)
  const fitting = kind === 'confirmed' ? cells : notBilled(cells)
  const calls: ConfirmedCall[] = []
  for (const each of fitting) {
    const all = await callsOf(deps, each, compared)
    const keyOf = new Map(all.map(({ id, keyId }) => [id, keyId]))
    // Divided among all of them first: what another key's calls are billed is not this key's.
    const said = kind === 'confirmed' ? confirmedCalls(each, all) : releasedCalls(all)
    calls.push(...said.filter(({ id }) => key === undefined || keyOf.get(id) === key))
    if (all.length > MOST_CALLS || calls.length > MOST_CALLS) {
      throw new GatewayError(
        'conflict',
        `period: more than ${MOST_CALLS} calls; name a day and a model, or use /corrections`,
      )
    }
  }
  if (calls.length === 0) throw new GatewayError('conflict', `kind: nothing is left to be ${kind} in ${period}`)
  return correctCalls(deps, context, calls, {
    ...{ kind, reason },
    source: ['reconciliation of', provider, ...(model === undefined ? [] : [model]), period].join(' '),
  })
}

function settledCells(compared: Compared, { provider, model, period }: Body, now: number): Attributed[] {
  const cells = compared.attributed.filter(
    ({ cell }) =>
      (cell.period === period || cell.period.startsWith(`${period}-`)) &&
      (model === undefined ? cell.model !== null : cell.model === model),
  )
  const [first] = cells
  if (first === undefined) {
    throw new GatewayError('not_found', `period: no report of ${provider} has ${model ?? 'a model'} in ${period}`)
  }
  const settled = cells.filter(({ cell }) => now >= cell.settlesAt)
  if (settled.length > 0) return settled
  const when = timestamp(first.cell.settlesAt)
  throw new GatewayError('conflict', `period: the report of ${period} can still change; wait until ${when}`)
}

/** A report that bills something for them does not release them. */
function notBilled(cells: readonly Attributed[]): Attributed[] {
  const found = cells.filter((each) => billedUnconfirmed(each) === 0n)
  if (found.length > 0) return found
  const billed = cells.reduce((sum, each) => sum + billedUnconfirmed(each), 0n)
  throw new GatewayError('conflict', `kind: the report bills ${signedUsd(billed)} USD for these calls; confirm it`)
}

function releasedCalls(calls: readonly UnconfirmedCall[]): ConfirmedCall[] {
  return calls.flatMap(({ id, confirmed }) => (confirmed === null ? [{ id, picodollars: 0n }] : []))
}

/** `2026-11-04`, and of longer periods their first day. */
function monthOf(period: string): string {
  const month = period.slice(0, 7)
  if (/^\d{4}-(0[1-9]|1[0-2])$/.test(month)) return month
  throw new GatewayError('invalid_request', 'period: a day as the comparison names it, such as 2026-11-04')
}
