import { GatewayError } from '../../domain/errors.ts'
import type { Attributed } from '../../reconcile/attribute.ts'
import { billedUnconfirmed, confirmedCalls, type UnconfirmedCall } from '../../reconcile/confirm.ts'
import { signedUsd } from '../../reconcile/words.ts'
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

/** Of one cell at a time: more than a person can have looked at. */
const MOST_CALLS = 2_000

/** The unconfirmed calls of a cell, with those that were corrected. */
async function callsOf({ reads }: Deps, { cell }: Attributed, { names }: Compared): Promise<UnconfirmedCall[]> {
  const { provider, model, start: from, end: to } = cell
  const found = await unconfirmedCalls(reads, { provider, from, to, limit: MOST_CALLS + 1 })
  return found.filter((call) => names(provider, call.model) === model)
}

export type OpenOfCells = (
  provider: string,
  period: string,
  model: string | null,
) => { open_calls: number; open_most_usd: string; billed_usd: string } | null

/** By cell: what is neither confirmed nor released. */
export async function openOfCells(deps: Deps, compared: Compared): Promise<OpenOfCells> {
  const found = new Map<string, ReturnType<OpenOfCells>>()
  for (const each of compared.attributed) {
    if (each.cell.intervals.every(({ unconfirmed }) => unconfirmed.calls === 0n)) continue
    const open = (await callsOf(deps, each, compared)).filter(({ confirmed }) => confirmed === null)
    if (open.length === 0) continue
    const most = open.reduce((sum, call) => sum + call.most, 0n)
    found.set(placeOf(each.cell), {
      ...{ open_calls: open.length, open_most_usd: signedUsd(most), billed_usd: signedUsd(billedUnconfirmed(each)) },
    })
  }
  return (provider, period, model) => found.get(placeOf({ provider, period, model })) ?? null
}

function placeOf({ provider, period, model }: Pick<Attributed['cell'], 'provider' | 'period' | 'model'>): string {
  return JSON.stringify([provider, period, model])
}

/** Confirms or releases what a report that no longer changes says of the unconfirmed calls of one cell. */
export async function correctCell(deps: ManagementDeps, body: Body, context: Context) {
  const { kind, provider, model, period, reason } = body
  await untilCaughtUp(deps)
  const { now } = context
  const compared = await compareMonth(deps, { month: monthOf(period), provider, now })
  const each = compared.attributed.find(({ cell }) => cell.period === period && cell.model === model)
  if (each === undefined) {
    throw new GatewayError('not_found', `period: no report of ${provider} has ${model} in ${period}`)
  }
  if (now < each.cell.settlesAt) {
    const when = timestamp(each.cell.settlesAt)
    throw new GatewayError('conflict', `period: the report of ${period} can still change; wait until ${when}`)
  }
  const all = await callsOf(deps, each, compared)
  if (all.length > MOST_CALLS) {
    throw new GatewayError('conflict', `period: more than ${MOST_CALLS} calls; correct them with /corrections`)
  }
  const calls = kind === 'confirmed' ? confirmedCalls(each, all) : releasedCalls(each, all)
  if (calls.length === 0) throw new GatewayError('conflict', `kind: nothing is left to be ${kind} in ${period}`)
  return correctCalls(deps, context, calls, {
    kind,
    reason,
    source: `reconciliation of ${provider} ${model} ${period}`,
  })
}

/** A report that bills something for them does not release them. */
function releasedCalls(each: Attributed, calls: readonly UnconfirmedCall[]) {
  const billed = billedUnconfirmed(each)
  if (billed > 0n) {
    throw new GatewayError('conflict', `kind: the report bills ${signedUsd(billed)} USD for these calls; confirm it`)
  }
  return calls.flatMap(({ id, confirmed }) => (confirmed === null ? [{ id, picodollars: 0n }] : []))
}

/** `2026-11-04`, and of longer periods their first day. */
function monthOf(period: string): string {
  const month = period.slice(0, 7)
  if (/^\d{4}-(0[1-9]|1[0-2])$/.test(month)) return month
  throw new GatewayError('invalid_request', 'period: a day as the comparison names it, such as 2026-11-04')
}
