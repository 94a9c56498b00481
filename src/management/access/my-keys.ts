import type { Kysely, Transaction } from 'kysely'
import { coversWorkspace } from '../../domain/access.ts'
import { GatewayError } from '../../domain/errors.ts'
import { isUsable, newKeyValue } from '../../domain/key.ts'
import { endWithin, type KeyTemplate } from '../../domain/people/key-template.ts'
import { addValue, endValues } from '../../store/control/key-values.ts'
import { createKey, keyFromRow, revokeKey, usableKeyIds } from '../../store/control/keys.ts'
import {
  addPersonalKey,
  listPersonalKeys,
  listTemplates,
  type PersonalKey,
} from '../../store/control/people/personal-keys.ts'
import type { Database } from '../../store/engine/schema.ts'
import type { myKeyOperations } from '../contract/my-keys.ts'
import { change, type ManagementDeps } from '../deps.ts'
import { keyAuditEntry } from '../find-key.ts'
import { expiry, keyViewer } from '../key-view.ts'
import { untilCaughtUp } from '../requests/request-filters.ts'
import type { Context, HandlersOf } from '../router.ts'
import { ownersOf } from './managed-callers.ts'
import { ownBudgets } from './own-budgets.ts'

type Operations = Pick<
  typeof myKeyOperations,
  'my-keys.templates' | 'my-keys.list' | 'my-keys.create' | 'my-keys.rotate' | 'my-keys.revoke'
>

/** Keys of the caller, a person or an admin key: there is no id by which another one's could be reached. */
export function myKeyHandlers(deps: ManagementDeps): HandlersOf<Operations> {
  return {
    'my-keys.templates': async (_input, context) => {
      const owner = await ownersOf(deps.db, 'templates')
      const templates = await templatesFor(deps.db, context)
      return { data: templates.map((template) => ({ ...template, managed_by: owner(template.name) })) }
    },
    async 'my-keys.list'(_input, { actor }) {
      await untilCaughtUp(deps)
      const shown = await views(deps.reads, await listPersonalKeys(deps.db, { owner: actor.id }))
      const budgets = await ownBudgets(deps, shown)
      return { data: shown.map((key) => ({ ...key, budgets: budgets.get(key.id) ?? [] })) }
    },
    'my-keys.create': ({ body }, context) =>
      change(deps, context, async (transaction) => {
        const { actor, now } = context
        const template = (await templatesFor(transaction, context)).find(({ name }) => name === body.template)
        if (template === undefined) {
          throw new GatewayError('not_found', `You have no key template '${body.template}'.`)
        }
        await checkRoom(transaction, template, body.name, context)
        const asked = body.expires_at == null ? body.expires_at : expiry(body.expires_at, now)
        const expiresAt = endWithin(template, asked, now)
        if (expiresAt === 'late') {
          throw new GatewayError('invalid_request', `expires_at: at most ${template.max_days} days from now`)
        }
        const { workspace, limits, allowed_models: allowedModels } = template
        const note = { owner: actor.name, template: template.name }
        const input = { kind: 'live' as const, workspace, name: body.name, expiresAt, limits, allowedModels, note }
        const { key, value } = await createKey(transaction, input, now)
        await addPersonalKey(transaction, { key_id: key.id, owner: actor.id, template: template.name })
        const after = await own(transaction, key.id, context)
        return {
          result: { ...(await view(transaction, after)), value },
          audit: keyAuditEntry('my-keys.create', null, after),
        }
      }),
    'my-keys.rotate': ({ params: { id }, body: { overlap_seconds } }, context) =>
      change(deps, context, async (transaction) => {
        const { now } = context
        const before = await working(transaction, id, context)
        const value = newKeyValue('live')
        const { id: value_id } = await addValue(transaction, before, value, now)
        await endValues(transaction, before, {
          which: (each) => each.id !== value_id,
          at: now + 1_000 * overlap_seconds,
          now,
        })
        const after = await own(transaction, id, context)
        const audit = keyAuditEntry('my-keys.rotate', before, after, { value_id, overlap_seconds })
        return { result: { ...(await view(transaction, after)), value }, audit }
      }),
    'my-keys.revoke': ({ params: { id } }, context) =>
      change(deps, context, async (transaction) => {
        const before = await own(transaction, id, context)
        const isNew = await revokeKey(transaction, id, context.now)
        const after = await own(transaction, id, context)
        return { result: undefined, audit: isNew ? keyAuditEntry('my-keys.revoke', before, after) : null }
      }),
  }
}

/** Those of the workspaces that their access covers. */
async function templatesFor(db: Kysely<Database>, { access }: Pick<Context, 'access'>): Promise<KeyTemplate[]> {
  return (await listTemplates(db)).filter(({ workspace }) => coversWorkspace(access, workspace))
}

/** A key of another owner is not there, and one in a workspace that is no longer theirs neither. */
async function own(db: Transaction<Database>, id: string, { actor, access }: Context): Promise<PersonalKey> {
  const key = (await listPersonalKeys(db, { owner: actor.id })).find((each) => each.id === id)
  if (key !== undefined && coversWorkspace(access, key.workspace)) return key
  throw new GatewayError('not_found', `You have no key with the id '${id}'.`)
}

async function working(db: Transaction<Database>, id: string, context: Context): Promise<PersonalKey> {
  const key = await own(db, id, context)
  if (isUsable(keyFromRow(key), context.now)) return key
  throw new GatewayError('conflict', `The key '${key.name}' no longer works; make a new one.`)
}

async function checkRoom(
  db: Transaction<Database>,
  template: KeyTemplate,
  name: string,
  context: Context,
): Promise<void> {
  const { actor, now } = context
  const keys = (await listPersonalKeys(db, { owner: actor.id })).filter((key) => key.template === template.name)
  if (keys.filter((key) => isUsable(keyFromRow(key), now)).length >= template.max_keys) {
    throw new GatewayError(
      'conflict',
      `You have as many keys of '${template.name}' as it allows: ${template.max_keys}. Revoke or rotate one.`,
    )
  }
  if ((await usableKeyIds(db, { kind: 'live', workspace: template.workspace, name }, now)).length === 0) return
  throw new GatewayError('conflict', `name: '${name}' is taken; choose another name.`)
}

async function views(db: Kysely<Database>, keys: readonly PersonalKey[]) {
  const show = await keyViewer(db, keys)
  return keys.map((key) => {
    const { opening_spend: _, note: __, managed_by: ___, ...shown } = show(key)
    return { ...shown, template: key.template }
  })
}

async function view(db: Kysely<Database>, key: PersonalKey) {
  const [shown] = await views(db, [key])
  if (shown === undefined) throw new Error('a key was not shown')
  return shown
}
