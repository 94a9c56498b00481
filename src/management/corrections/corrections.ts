import type { Transaction } from 'kysely'
import { coversWorkspace } from '../../domain/access.ts'
import { GatewayError } from '../../domain/errors.ts'
import { newId } from '../../domain/new-id.ts'
import { asPicodollars, exactUsd, picodollarsOfUsd } from '../../domain/pricing/price.ts'
import { addCorrections, correctionsOf, listCorrections } from '../../store/control/books/corrections.ts'
import type { CorrectionsTable } from '../../store/engine/correction-table.ts'
import { exactInteger } from '../../store/engine/exact-integer.ts'
import type { Database, RequestRow } from '../../store/engine/schema.ts'
import { checkCovered } from '../access/permit.ts'
import type { correctionOperations } from '../contract/corrections.ts'
import { timestamp } from '../contract/fields.ts'
import type { InputOf } from '../contract/operation.ts'
import { change, type ManagementDeps } from '../deps.ts'
import { decodeCursor, page } from '../requests/cursor.ts'
import { rangeOf, untilCaughtUp } from '../requests/request-filters.ts'
import type { Context, HandlersOf } from '../router.ts'
import { correctionView } from './correction-view.ts'

type Body = InputOf<(typeof correctionOperations)['corrections.create']>['body']

export function correctionHandlers(deps: ManagementDeps): HandlersOf<typeof correctionOperations> {
  return {
    async 'corrections.list'({ query }, { access }) {
      const { workspace, limit, cursor } = query
      if (workspace !== undefined) checkCovered(access, workspace)
      const after = decodeCursor(cursor, 1)
      const rows = await listCorrections(deps.reads, {
        ...rangeOf(query),
        workspaces: workspace === undefined ? access.workspaces : [workspace],
        after: after === null ? null : String(after[0]),
        limit: limit + 1,
      })
      return page(rows, limit, correctionView, ({ id }) => [id])
    },
    async 'corrections.create'({ body }, context) {
      if (body.usd !== undefined && (body.kind !== 'confirmed' || body.request_ids.length > 1)) {
        throw new GatewayError('invalid_request', 'usd: goes with the kind confirmed and with one request')
      }
      await untilCaughtUp(deps)
      const asked = picodollarsOf(body)
      return correctCalls(
        deps,
        context,
        body.request_ids.map((id) => ({ id, picodollars: asked })),
        body,
      )
    },
  }
}

/** What each call was billed beyond its row; null: all that it can have been. */
function picodollarsOf({ kind, usd }: Body): bigint | null {
  return kind === 'released' ? 0n : usd === undefined ? null : picodollarsOfUsd(usd)
}

/** All of these calls in one change, or none: each once, and for at most its bound. */
export function correctCalls(
  deps: ManagementDeps,
  context: Context,
  calls: readonly { id: string; picodollars: bigint | null }[],
  why: Why,
) {
  return change(deps, context, async (transaction) => {
    const amounts = new Map(calls.map(({ id, picodollars }) => [id, picodollars]))
    const rows = await unconfirmedRows(transaction, [...amounts.keys()], context)
    const made = rows.map((row) => correctionFor(row, amounts.get(row.id) ?? null, why, context))
    await addCorrections(transaction, made)
    const data = made.map(correctionView)
    context.created()
    return { result: { data }, audit: auditOf(why, data) }
  })
}

type Why = Pick<Body, 'kind' | 'reason' | 'source'>

type UnconfirmedRow = Pick<RequestRow, (typeof COLUMNS)[number]>

const COLUMNS = [
  ...(['id', 'workspace', 'key_id', 'provider', 'model', 'started_at', 'state'] as const),
  ...(['unconfirmed_most_picodollars', 'unconfirmed_counted_picodollars'] as const),
] as const

/** Throws where one of them has nothing to confirm: then none is corrected. */
async function unconfirmedRows(
  transaction: Transaction<Database>,
  ids: readonly string[],
  { access }: Context,
): Promise<UnconfirmedRow[]> {
  const found = await transaction.selectFrom('requests').select(COLUMNS).where('id', 'in', ids).execute()
  const byId = new Map(found.map((row) => [row.id, row]))
  const [done] = await correctionsOf(transaction, ids)
  return ids.map((id) => {
    const row = byId.get(id)
    if (row === undefined || !coversWorkspace(access, row.workspace)) {
      throw new GatewayError('not_found', `request_ids: there is no request '${id}', or its row has expired.`)
    }
    if (row.state !== 'closed') throw new GatewayError('conflict', `request_ids: '${id}' is still running.`)
    if (row.unconfirmed_most_picodollars === null) {
      throw new GatewayError('conflict', `request_ids: '${id}' has no unconfirmed spend.`)
    }
    if (done?.request_id === id) {
      const when = timestamp(done.created_at)
      throw new GatewayError('conflict', `request_ids: '${id}' was ${done.kind} by ${done.actor} at ${when}.`)
    }
    return row
  })
}

function correctionFor(
  row: UnconfirmedRow,
  asked: bigint | null,
  { kind, reason, source }: Why,
  context: Context,
): CorrectionsTable {
  const most = BigInt(row.unconfirmed_most_picodollars ?? 0)
  const cost = asked ?? most
  if (cost > most) {
    const bound = exactUsd(asPicodollars(most))
    throw new GatewayError('invalid_request', `usd: this call can have cost at most ${bound} USD beyond its row`)
  }
  return {
    id: newId(context.now),
    created_at: context.now,
    actor: context.actor.name,
    reason,
    kind,
    request_id: row.id,
    workspace: row.workspace,
    key_id: row.key_id,
    provider: row.provider,
    model: row.model,
    charged_at: row.started_at,
    picodollars: exactInteger(cost),
    counted_picodollars: exactInteger(cost - BigInt(row.unconfirmed_counted_picodollars ?? 0)),
    source: source ?? null,
  }
}

function auditOf({ kind }: Why, data: readonly { id: string; workspace: string }[]) {
  const workspaces = new Set(data.map(({ workspace }) => workspace))
  const [first] = data
  const workspace = workspaces.size === 1 && first !== undefined ? first.workspace : null
  const resource = data.length === 1 && first !== undefined ? `corrections/${first.id}` : 'corrections'
  return { action: `corrections.${kind}`, workspace, resource, before: null, after: { data } }
}
