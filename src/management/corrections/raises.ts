import { coversWorkspace } from '../../domain/access.ts'
import type { ValueScope } from '../../domain/budgets/each.ts'
import { GatewayError } from '../../domain/errors.ts'
import { newId } from '../../domain/new-id.ts'
import { addRaise, endRaise, findRaise, listRaises } from '../../store/control/raises.ts'
import type { BudgetRaisesTable } from '../../store/engine/raises-table.ts'
import { checkCovered } from '../access/permit.ts'
import { timestamp, timestampOrNull } from '../contract/fields.ts'
import type { InputOf } from '../contract/operation.ts'
import type { raiseOperations } from '../contract/raises.ts'
import { change, type ManagementDeps } from '../deps.ts'
import { decodeCursor, page } from '../requests/cursor.ts'
import type { HandlersOf } from '../router.ts'
import { checkWorkspace } from '../workspaces.ts'

type Body = InputOf<(typeof raiseOperations)['raises.create']>['body']

const MINUTE_MS = 60_000

export function raiseHandlers(deps: ManagementDeps): HandlersOf<typeof raiseOperations> {
  return {
    async 'raises.list'({ query: { workspace, active, limit, cursor } }, { now, access }) {
      if (workspace !== undefined) checkCovered(access, workspace)
      const after = decodeCursor(cursor, 1)
      const rows = await listRaises(deps.reads, {
        workspaces: workspace === undefined ? access.workspaces : [workspace],
        activeAt: active === true ? now : null,
        after: after === null ? null : String(after[0]),
        limit: limit + 1,
      })
      return page(
        rows,
        limit,
        (row) => view(row, now),
        ({ id }) => [id],
      )
    },
    async 'raises.create'({ query: { workspace }, body }, context) {
      await checkWorkspace(deps.db, workspace)
      const { keyId, kind, of, value } = raisedOf(workspace, body, deps)
      const { now, actor } = context
      return change(deps, context, async (transaction) => {
        const row: BudgetRaisesTable = {
          ...{ id: newId(now), workspace, key_id: keyId, kind, of_name: of, value },
          ...{
            usd: body.usd,
            until: now + body.minutes * MINUTE_MS,
            created_at: now,
            actor: actor.name,
            reason: body.reason,
          },
          ended_at: null,
        }
        await addRaise(transaction, row)
        context.created()
        const result = view(row, now)
        const audit = { action: 'raises.create', workspace, resource: `raises/${row.id}`, before: null, after: result }
        return { result, audit }
      })
    },
    'raises.end': ({ params: { id } }, context) =>
      change(deps, context, async (transaction) => {
        const row = await findRaise(transaction, id)
        if (row === undefined || !coversWorkspace(context.access, row.workspace)) {
          throw new GatewayError('not_found', 'There is no such raise.')
        }
        const { now } = context
        const ended = row.ended_at === null && row.until > now ? { ...row, ended_at: now } : row
        if (ended !== row) await endRaise(transaction, id, now)
        const [before, result] = [view(row, now), view(ended, now)]
        const audit = {
          action: 'raises.end',
          workspace: row.workspace,
          resource: `raises/${id}`,
          before,
          after: result,
        }
        return { result, audit: ended === row ? null : audit }
      }),
  }
}

/** The counter whose budgets are raised; it must be clear which. */
function raisedOf(
  workspace: string,
  { key, each, value, session }: Body,
  deps: ManagementDeps,
): Omit<ValueScope, 'workspace'> {
  const refuse = (text: string) => {
    throw new GatewayError('invalid_request', text)
  }
  if (key !== undefined && deps.snapshot().keys.get(key)?.workspace !== workspace) {
    refuse(`key: workspace '${workspace}' has no key '${key}'`)
  }
  const keyId = key ?? ''
  if (session !== undefined && each !== 'agent') refuse('session: only of an agent')
  if (each === undefined || each === 'key') {
    if (value !== undefined) refuse('value: only with an each that has values')
    if (each === 'key' && key === undefined) refuse('key: which key of the workspace')
    return { keyId, kind: each ?? '', of: '', value: '' }
  }
  if (value === undefined) return refuse('value: which one, as in the details of the 402') as never
  if ((each === 'session' || each === 'agent') && key === undefined) {
    refuse(`key: ${each}s are counted by key; name the key that calls`)
  }
  if (each === 'agent') return { keyId, kind: 'agent', of: session ?? '', value }
  if (each.startsWith('tag:')) return { keyId, kind: 'tag', of: each.slice(4), value }
  return { keyId, kind: each as ValueScope['kind'], of: '', value }
}

function view(row: BudgetRaisesTable, now: number) {
  const { id, workspace, key_id: keyId, kind, of_name: of, value, usd, until, ended_at: endedAt, actor, reason } = row
  return {
    ...{ id, workspace, key_id: keyId === '' ? null : keyId },
    each: kind === '' ? null : kind === 'tag' ? `tag:${of}` : kind,
    value: value === '' ? null : value,
    session: kind === 'agent' && of !== '' ? of : null,
    ...{ usd, created_at: timestamp(row.created_at), until: timestamp(until), ended_at: timestampOrNull(endedAt) },
    is_active: endedAt === null && until > now,
    ...{ actor, reason },
  }
}
