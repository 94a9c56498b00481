import type { Kysely, Transaction } from 'kysely'
import type { z } from 'zod'
import { contentProblem } from '../content/settings-problem.ts'
import { deleteContentOf } from '../content/stored.ts'
import { namesIn } from '../domain/access.ts'
import { guardrailContext } from '../domain/content/guardrail.ts'
import type { ContentSettings } from '../domain/content/settings.ts'
import { GatewayError } from '../domain/errors.ts'
import type { Limits } from '../domain/limits.ts'
import { forgetInScopes, usableKeyIds } from '../store/control/keys.ts'
import { stepDownProblem } from '../store/control/routes.ts'
import {
  ensureWorkspace,
  managersFromRow,
  setOpening,
  settingsFromRow,
  updateWorkspace,
  WORKSPACE_SETTINGS,
  type WorkspaceSetting,
} from '../store/control/workspaces.ts'
import type { Database } from '../store/engine/schema.ts'
import { timestamp } from './contract/fields.ts'
import type { OpeningBody } from './contract/opening-spend.ts'
import type { workspaceOperations } from './contract/workspaces.ts'
import { change, changeBeside, type ManagementDeps } from './deps.ts'
import { openingIn, openingView } from './opening-spend.ts'
import { decodeCursor, page } from './requests/cursor.ts'
import type { Context, HandlersOf } from './router.ts'

export function workspaceHandlers(deps: ManagementDeps): HandlersOf<typeof workspaceOperations> {
  return {
    async 'workspaces.list'({ query }, context) {
      const after = decodeCursor(query.cursor, 1)
      let names = deps.db
        .selectFrom('workspaces')
        .select('name')
        .orderBy('name')
        .limit(query.limit + 1)
      if (after !== null) names = names.where('name', '>', String(after[0]))
      const { workspaces } = context.access
      if (workspaces !== null) names = names.where('name', 'in', namesIn(workspaces))
      const rows = await Promise.all(
        (await names.execute()).map(({ name }) => readWorkspaceView(deps.db, name, context.now)),
      )
      return page(
        rows,
        query.limit,
        (row) => row,
        (row) => [row.name],
      )
    },
    'workspaces.create': ({ body }, context) =>
      change(deps, context, async (transaction) => {
        if (await exists(transaction, body.name)) {
          throw new GatewayError('conflict', `The workspace '${body.name}' already exists.`)
        }
        await checkContent(body.content, deps)
        await checkStepDown(transaction, body.name, body.limits)
        await ensureWorkspace(transaction, body.name, context.now)
        await updateWorkspace(transaction, body.name, body)
        const result = await readWorkspaceView(transaction, body.name, context.now)
        return { result, audit: workspaceAuditEntry('workspaces.create', body.name, null, result) }
      }),
    'workspaces.get': ({ params }, context) => readWorkspaceView(deps.db, params.name, context.now),
    'workspaces.update': ({ params: { name }, body }, context) =>
      change(deps, context, async (transaction) => {
        const before = await readWorkspaceView(transaction, name, context.now)
        checkNotFromFile(
          before,
          WORKSPACE_SETTINGS.filter((setting) => body[setting] !== undefined),
        )
        await checkContent(body.content, deps)
        await checkStepDown(transaction, name, body.limits)
        await updateWorkspace(transaction, name, body)
        const result = await readWorkspaceView(transaction, name, context.now)
        const isSame = JSON.stringify(before) === JSON.stringify(result)
        return { result, audit: isSame ? null : workspaceAuditEntry('workspaces.update', name, before, result) }
      }),
    'workspaces.opening-spend': ({ params, body }, context) => setOpeningSpend(params.name, body, deps, context),
    'workspaces.guardrail-secret': ({ params: { name } }, context) => guardrailSecret(name, deps, context),
    'workspaces.delete': ({ params: { name }, query }, context) =>
      change(deps, context, async (transaction) => {
        const before = await readWorkspaceView(transaction, name, context.now)
        if (name === 'default') throw new GatewayError('conflict', "The workspace 'default' cannot be deleted.")
        if (before.live_keys > 0 && query.force !== 'true') {
          throw new GatewayError(
            'conflict',
            `'${name}' has ${before.live_keys} live keys; revoke them or send force=true.`,
          )
        }
        checkNotFromFile(before, WORKSPACE_SETTINGS)
        await checkNotOwnedByFile(transaction, name)
        await deleteWorkspace(transaction, name)
        return { result: undefined, audit: workspaceAuditEntry('workspaces.delete', name, before, null) }
      }),
  }
}

function setOpeningSpend(name: string, body: z.infer<typeof OpeningBody>, deps: ManagementDeps, context: Context) {
  return change(deps, context, async (transaction) => {
    const before = await readWorkspaceView(transaction, name, context.now)
    await setOpening(transaction, name, openingIn(body, context.now))
    const result = await readWorkspaceView(transaction, name, context.now)
    return { result, audit: workspaceAuditEntry('workspaces.opening-spend', name, before, result) }
  })
}

/** With all that belongs to it; its rows stay in the log. */
async function deleteWorkspace(db: Transaction<Database>, name: string): Promise<void> {
  await db.deleteFrom('routes').where('workspace', '=', name).execute()
  await db.deleteFrom('keys').where('workspace', '=', name).execute()
  await db.deleteFrom('resumed_sessions').where('workspace', '=', name).execute()
  await forgetInScopes(db, name)
  await deleteContentOf(db, name)
  await db.deleteFrom('workspaces').where('name', '=', name).execute()
}

function workspaceAuditEntry(action: string, name: string, before: unknown, after: unknown) {
  return { action, workspace: name, resource: `workspaces/${name}`, before, after }
}

async function checkContent(
  settings: ContentSettings | null | undefined,
  { secrets }: Pick<ManagementDeps, 'secrets'>,
): Promise<void> {
  const problem = await contentProblem(settings, secrets)
  if (problem !== null) throw new GatewayError('invalid_request', `content: ${problem}.`)
}

/** Every read is recorded: the audit row is written before the answer. */
function guardrailSecret(name: string, deps: ManagementDeps, context: Context): Promise<{ secret: string }> {
  return changeBeside(deps, context, async (transaction) => {
    await checkWorkspace(transaction, name)
    const result = { secret: `whsec_${deps.secrets.derived(guardrailContext(name))[0]}` }
    return { result, audit: workspaceAuditEntry('workspaces.guardrail-secret', name, null, null) }
  })
}

/** Throws 404 for a workspace that is not there. */
export async function checkWorkspace(db: Kysely<Database>, name: string): Promise<void> {
  if (!(await exists(db, name))) throw new GatewayError('not_found', `There is no workspace '${name}'.`)
}

/** Throws for limits that step down to a route which the workspace cannot use. */
export async function checkStepDown(
  db: Kysely<Database>,
  workspace: string,
  limits: Limits | null | undefined,
): Promise<void> {
  const problem = await stepDownProblem(db, workspace, limits)
  if (problem !== null) throw new GatewayError('invalid_request', `${problem}.`)
}

async function exists(db: Kysely<Database>, name: string): Promise<boolean> {
  return (await db.selectFrom('workspaces').select('name').where('name', '=', name).executeTakeFirst()) !== undefined
}

function checkNotFromFile(
  view: { name: string } & Record<`${WorkspaceSetting}_managed_by`, string | null>,
  settings: readonly WorkspaceSetting[],
): void {
  const owned = settings.find((setting) => view[`${setting}_managed_by`] !== null)
  if (owned === undefined) return
  throw new GatewayError(
    'managed_by_config',
    `${owned}: the configuration file manages it for '${view.name}'. Change it in switchyard.yaml.`,
  )
}

/** The file would bring its routes and keys back at the next start. */
async function checkNotOwnedByFile(db: Kysely<Database>, name: string): Promise<void> {
  for (const table of ['routes', 'keys'] as const) {
    const owned = await db
      .selectFrom(table)
      .select('workspace')
      .where('workspace', '=', name)
      .where('managed_by', '=', 'config')
      .limit(1)
      .executeTakeFirst()
    if (owned !== undefined) {
      throw new GatewayError('managed_by_config', `'${name}' has ${table} that the configuration file manages.`)
    }
  }
}

async function readWorkspaceView(db: Kysely<Database>, name: string, now: number) {
  const row = await db.selectFrom('workspaces').selectAll().where('name', '=', name).executeTakeFirst()
  if (row === undefined) throw new GatewayError('not_found', `There is no workspace '${name}'.`)
  const count = db.fn.countAll().as('count')
  const routes = await db.selectFrom('routes').select(count).where('workspace', '=', name).executeTakeFirstOrThrow()
  const keys = await usableKeyIds(db, { kind: 'live', workspace: name }, now)
  return {
    name,
    description: row.description,
    ...settingsFromRow(row),
    ...managersFromRow(row),
    opening_spend: openingView(row.opening),
    created_at: timestamp(row.created_at),
    routes: Number(routes.count),
    live_keys: keys.length,
  }
}
