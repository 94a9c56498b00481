import { GatewayError } from '../domain/errors.ts'
import { litellmFacts } from '../domain/litellm/facts.ts'
import { asPicodollars } from '../domain/pricing/price.ts'
import type { LitellmDeps } from './deps.ts'
import { notFound, wrongField } from './errors.ts'
import { searchKeys } from './find-keys.ts'
import { money } from './json.ts'
import { type KeyView, spendsOf } from './key-view.ts'
import { viewsOf } from './keys.ts'
import type { Asked, Row } from './row.ts'
import { teamObject } from './teams.ts'

const MOST_KEYS = 1_000

/** There are no users here: what is known of one is what the keys with this `user_id` have spent. */
async function info(asked: Asked, deps: LitellmDeps) {
  const { caller, query, perform } = asked
  const keys: KeyView[] = []
  let id = query['user_id']
  if (caller.own === null) {
    if (id === undefined) throw wrongField('user_id', 'name the user: ?user_id=')
    const { rows } = await searchKeys(deps.db, caller.access, { userId: id }, { offset: 0, limit: MOST_KEYS })
    keys.push(...(await viewsOf(rows, deps)).filter(({ note }) => litellmFacts(note).user_id === id))
  } else {
    const own = await perform('keys.get', { params: { id: caller.own.id } })
    const { user_id: ownId } = litellmFacts(own.note)
    if (id !== undefined && id !== ownId) throw new GatewayError('forbidden', 'This key may not read another user.')
    id = ownId
    if (ownId !== undefined) keys.push(own)
  }
  if (keys.length === 0) throw notFound('User')
  const spends = await spendsOf(
    // Without limits: what they have spent in total.
    keys.map(({ id, opening_spend }) => ({ scope: { kind: 'key', id }, limits: null, opening: opening_spend })),
    deps,
  )
  const spend = money(asPicodollars(spends.reduce((sum, { spent }) => sum + spent, 0n)))
  const nothing = { max_budget: null, budget_reset_at: null, budget_duration: null }
  const names = [...new Set(keys.map(({ workspace }) => workspace))]
  const views = await Promise.all(names.map((name) => perform('workspaces.get', { params: { name } })))
  return {
    user_id: id,
    user_info: { user_id: id, spend, ...nothing, user_email: null },
    keys: [],
    teams: await Promise.all(views.map((view) => teamObject(view, deps))),
  }
}

export const USER_ROWS: readonly Row[] = [
  { method: 'GET', path: '/user/info', access: 'own', operation: 'keys.get', handle: info },
]
