import type { Kysely, Transaction } from 'kysely'
import type { ContentSettings } from '../../domain/content/settings.ts'
import { definedProvider, type FileConfig, providerProblem } from '../../domain/file-config.ts'
import type { Provider, ProviderKinds } from '../../domain/provider.ts'
import { definedEntries, mixedEmbeddings, type RouteDefinition } from '../../domain/route.ts'
import { type AuditEntry, writeAudit } from '../control/audit.ts'
import { changeControlData } from '../control/control-transaction.ts'
import { deleteProvider, ensureEnvironmentProviders, putProvider } from '../control/providers.ts'
import { deleteRoute, putRoute } from '../control/routes.ts'
import { readControlRows } from '../control/snapshot.ts'
import { ensureWorkspace, listWorkspaces, setFileSettings, updateWorkspace } from '../control/workspaces.ts'
import type { Database } from '../engine/schema.ts'
import type { Secrets } from '../engine/secrets.ts'
import { StoreError } from '../engine/store-error.ts'
import { applyKeys, type CreatedKey } from './apply-config-keys.ts'
import { applyRegistry } from './apply-config-registry.ts'
import { type ConfigChange, configChanges, countUnchanged } from './config-changes.ts'
import { viewConfig } from './config-view.ts'

export interface ConfigResult {
  changes: ConfigChange[]
  /** How many objects of the file were as it says already. */
  unchanged: number
  /** Keys without a value in the file that were made now: the only time their values are known. */
  created: CreatedKey[]
}

export interface ConfigInput {
  secrets: Secrets
  config: FileConfig
  /** Providers that exist from the environment; the file's definition of one adds to it. */
  environment: readonly Provider[]
  kinds: ProviderKinds
  /** Why content cannot be stored like this; null: it can. */
  contentProblem(settings: ContentSettings | null | undefined, secrets: Secrets): Promise<string | null>
  /** Who is behind it, for the audit list. */
  actor: AuditEntry['actor']
  now: number
}

type Applying = ConfigInput & { db: Transaction<Database> }

/**
 * Applies the file in one transaction: what it names is written and belongs to it, what belonged to it and is no longer
 * named is removed, everything else stays. Applying the same file again changes nothing, and neither does a bad one.
 */
export async function applyConfig(db: Kysely<Database>, input: ConfigInput): Promise<ConfigResult> {
  return changeControlData(db, async (transaction) => {
    const before = viewConfig(await readControlRows(transaction), input.secrets, input.now)
    const created = await writeConfig({ ...input, db: transaction })
    const after = viewConfig(await readControlRows(transaction), input.secrets, input.now)
    const changes = configChanges(before, after)
    for (const change of changes) await writeAudit(transaction, auditEntry(change, input.actor), input.now)
    return { changes, unchanged: countUnchanged(before, after), created }
  })
}

/** What applying would change. It is applied and taken back, so the two cannot disagree. */
export async function planConfig(db: Kysely<Database>, input: ConfigInput): Promise<Omit<ConfigResult, 'created'>> {
  try {
    return await changeControlData(db, async (transaction) => {
      throw new Planned(await applyConfig(transaction, input))
    })
  } catch (error) {
    if (error instanceof Planned) return { changes: error.result.changes, unchanged: error.result.unchanged }
    throw error
  }
}

/** Thrown to take everything back; it carries out what would have been. */
class Planned extends Error {
  readonly result: ConfigResult
  constructor(result: ConfigResult) {
    super('planned')
    this.result = result
  }
}

function auditEntry(change: ConfigChange, actor: AuditEntry['actor']): AuditEntry {
  const side = (which: 'before' | 'after') =>
    Object.fromEntries(change.fields.map((field) => [field.field, field[which]]))
  return {
    actor,
    action: 'config.apply',
    workspace: change.workspace,
    resource: change.auditResource,
    before: change.kind === 'create' ? null : side('before'),
    after: change.kind === 'delete' ? null : side('after'),
  }
}

async function writeConfig(applying: Applying): Promise<CreatedKey[]> {
  const { db, config, environment, kinds, now } = applying
  const problem = providerProblem(config, environment, kinds)
  if (problem !== null) throw new StoreError(problem)
  await applyProviders(applying)
  for (const [name, { description }] of Object.entries(config.workspaces)) {
    await ensureWorkspace(db, name, now)
    await updateWorkspace(db, name, { description })
  }
  await applyWorkspaceSettings(applying)
  await applyRoutes(applying)
  const created = await applyKeys(db, config, now)
  await applyRegistry(db, config.registry, now)
  await checkChains(db)
  return created
}

/** Of every workspace: one that the file no longer names loses what it had from the file. */
async function applyWorkspaceSettings({ db, config, secrets, contentProblem }: Applying): Promise<void> {
  for (const [name, { content }] of Object.entries(config.workspaces)) {
    const problem = await contentProblem(content, secrets)
    if (problem !== null) throw new StoreError(`workspaces.${name}.content: ${problem}`)
  }
  for (const { name } of await listWorkspaces(db)) {
    await setFileSettings(db, name, Object.hasOwn(config.workspaces, name) ? config.workspaces[name] : undefined)
  }
}

async function applyProviders({ db, secrets, config, environment, kinds, now }: Applying): Promise<void> {
  for (const [name, definition] of Object.entries(config.providers)) {
    const inherited = environment.find((provider) => provider.name === name)
    const provider = definedProvider(name, definition, inherited, kinds)
    if (provider === null) throw new StoreError(`providers.${name}.family: is missing`)
    await putProvider(db, secrets, provider, 'config', now)
  }
  const owned = await db.selectFrom('providers').select('name').where('managed_by', '=', 'config').execute()
  for (const { name } of owned) if (!Object.hasOwn(config.providers, name)) await deleteProvider(db, name)
  await ensureEnvironmentProviders(db, secrets, environment, now)
}

async function applyRoutes({ db, config, now }: Applying): Promise<void> {
  for (const [workspace, { routes }] of Object.entries(config.workspaces)) {
    for (const [alias, definition] of Object.entries(routes)) {
      await putRoute(db, { workspace, alias, definition, managedBy: 'config' }, now)
    }
  }
  const owned = await db
    .selectFrom('routes')
    .select(['workspace', 'alias'])
    .where('managed_by', '=', 'config')
    .execute()
  for (const { workspace, alias } of owned) {
    const routes = Object.hasOwn(config.workspaces, workspace) ? config.workspaces[workspace]?.routes : undefined
    if (routes === undefined || !Object.hasOwn(routes, alias)) await deleteRoute(db, workspace, alias)
  }
}

/** Of every route, also those that the file does not own: the file may have removed the provider of one. */
async function checkChains(db: Transaction<Database>): Promise<void> {
  const providers = await db.selectFrom('providers').select('name').execute()
  const known = new Set(providers.map(({ name }) => name))
  const registered = await db.selectFrom('registry').select(['provider', 'model', 'mode']).execute()
  const modes = new Map(registered.map(({ provider, model, mode }) => [`${provider}/${model}`, mode]))
  for (const row of await db.selectFrom('routes').selectAll().execute()) {
    const place = `workspaces.${row.workspace}.routes.${row.alias}`
    const chain = JSON.parse(row.chain) as RouteDefinition['chain']
    const unknown = definedEntries(chain).find((entry) => !known.has(entry.provider))
    if (unknown !== undefined) {
      throw new StoreError(`${place}.${unknown.path}: there is no provider "${unknown.provider}"`)
    }
    const definition = { chain, interchangeable: row.interchangeable === 1 }
    const mixed = mixedEmbeddings(definition, (entry) => modes.get(`${entry.provider}/${entry.model}`))
    if (mixed !== null && row.managed_by === 'config') throw new StoreError(`${place}.${mixed}`)
  }
}
