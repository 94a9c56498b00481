import type { Kysely, Transaction } from 'kysely'
import type { ContentSettings } from '../../domain/content/settings.ts'
import { definedProvider, type FileConfig, providerProblem } from '../../domain/file-config.ts'
import type { Provider, ProviderKinds } from '../../domain/provider.ts'
import { definedEntries, mixedEmbeddings, type RouteDefinition } from '../../domain/route.ts'
import { type AuditEntry, writeAudit } from '../control/audit.ts'
import { changeControlData } from '../control/control-transaction.ts'
import { putProvider } from '../control/providers.ts'
import { putRoute, stepDownProblem } from '../control/routes.ts'
import { readControlRows } from '../control/snapshot.ts'
import { ensureWorkspace, setFileSettings, updateWorkspace } from '../control/workspaces.ts'
import type { Database } from '../engine/schema.ts'
import type { Secrets } from '../engine/secrets.ts'
import { StoreError } from '../engine/store-error.ts'
import { applyKeys, type CreatedKey } from './apply-config-keys.ts'
import { applyRegistry } from './apply-config-registry.ts'
import { applyAlerts, checkRuleTargets, readAlertRows, viewedAlerts } from './config-alerts.ts'
import { applyCallers, readCallers, viewedCallers } from './config-callers.ts'
import { type ConfigChange, configChanges, countUnchanged } from './config-changes.ts'
import { type ConfigView, type ViewedObject, viewConfig } from './config-view.ts'
import { type NotInFile, notInFile, pruneConfig } from './prune-config.ts'

export interface ConfigResult {
  changes: ConfigChange[]
  /** How many objects of the file were as it says already. */
  unchanged: number
  /** Keys created now without a value in the file; their values are known only here. */
  created: CreatedKey[]
  /** What an earlier file set and this one does not name. Deleted when pruning, otherwise left alone. */
  notInFile: NotInFile[]
}

export interface ConfigInput {
  secrets: Secrets
  config: FileConfig
  /** Providers that exist from the environment; the file's definition of one adds to it. */
  environment: readonly Provider[]
  kinds: ProviderKinds
  /** Why content cannot be stored like this; null: it can. */
  contentProblem(settings: ContentSettings | null | undefined, secrets: Secrets): Promise<string | null>
  /** Who is behind it, for the audit log. */
  actor: AuditEntry['actor']
  /** Delete what an earlier file set and this one does not name. */
  prune: boolean
  now: number
}

type Applying = ConfigInput & { db: Transaction<Database> }

/**
 * Applies the file in one transaction: what it names is written and belongs to it. What an earlier file set and this one
 * does not name is deleted only when pruning; everything else stays. Applying the same file again changes nothing.
 */
export async function applyConfig(db: Kysely<Database>, input: ConfigInput): Promise<ConfigResult> {
  return changeControlData(db, async (transaction) => {
    const applying = { ...input, db: transaction }
    const before = await readView(applying)
    const created = await writeConfig(applying)
    const written = await readView(applying)
    const left = notInFile(written, input.config)
    if (input.prune) await pruneConfig(applying, left)
    await checkChains(transaction)
    await checkStepDowns(transaction, input.config)
    await checkRuleTargets(transaction, input.config)
    const after = input.prune ? await readView(applying) : written
    const changes = configChanges(before, after)
    for (const change of changes) await writeAudit(transaction, auditEntry(change, input.actor), input.now)
    const unchanged = countUnchanged(before, after) - (input.prune ? 0 : left.filter(isOwned).length)
    const names = left.map(({ workspace, resource }) => ({ workspace, resource }))
    return { changes, unchanged, created, notInFile: input.prune ? [] : names }
  })
}

async function readView({ db, secrets, now }: Applying): Promise<ConfigView> {
  const beside = [...viewedAlerts(await readAlertRows(db), secrets), ...viewedCallers(await readCallers(db))]
  const named = beside.map((object) => [object.auditResource, object] as const)
  return new Map([...viewConfig(await readControlRows(db), secrets, now), ...named])
}

/** Only these are counted as unchanged: a workspace belongs to a file by its settings, not as a whole. */
function isOwned({ managedBy }: ViewedObject): boolean {
  return managedBy === 'config'
}

/** What applying would change. It is applied and rolled back, so the two cannot disagree. */
export async function planConfig(db: Kysely<Database>, input: ConfigInput): Promise<Omit<ConfigResult, 'created'>> {
  try {
    return await changeControlData(db, async (transaction) => {
      throw new Planned(await applyConfig(transaction, input))
    })
  } catch (error) {
    if (!(error instanceof Planned)) throw error
    const { created: _, ...planned } = error.result
    return planned
  }
}

/** Thrown to roll the transaction back; carries the result out of it. */
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
  await applyWorkspaces(applying)
  await applyRoutes(applying)
  const created = await applyKeys(db, config, now)
  await applyRegistry(db, config.registry, now)
  await applyAlerts(applying)
  await applyCallers(db, config, now)
  return created
}

async function applyWorkspaces({ db, config, secrets, contentProblem, now }: Applying): Promise<void> {
  for (const [name, settings] of Object.entries(config.workspaces)) {
    const problem = await contentProblem(settings.content, secrets)
    if (problem !== null) throw new StoreError(`workspaces.${name}.content: ${problem}`)
    await ensureWorkspace(db, name, now)
    await updateWorkspace(db, name, { description: settings.description })
    await setFileSettings(db, name, settings)
  }
}

async function applyProviders({ db, secrets, config, environment, kinds, now }: Applying): Promise<void> {
  for (const [name, definition] of Object.entries(config.providers)) {
    const inherited = environment.find((provider) => provider.name === name)
    const provider = definedProvider(name, definition, inherited, kinds)
    if (provider === null) throw new StoreError(`providers.${name}.family: is missing`)
    await putProvider(db, secrets, provider, 'config', now)
  }
}

async function applyRoutes({ db, config, now }: Applying): Promise<void> {
  for (const [workspace, { routes }] of Object.entries(config.workspaces)) {
    for (const [alias, definition] of Object.entries(routes)) {
      await putRoute(db, { workspace, alias, definition, managedBy: 'config' }, now)
    }
  }
}

/** Of every route, also those that the file does not own: the file may have removed the provider of one. */
async function checkStepDowns(db: Transaction<Database>, { workspaces }: FileConfig): Promise<void> {
  for (const [name, { limits, keys }] of Object.entries(workspaces)) {
    const stated = [
      { place: `workspaces.${name}`, limits },
      ...Object.entries(keys).map(([key, of]) => ({ place: `workspaces.${name}.keys.${key}`, limits: of.limits })),
    ]
    for (const each of stated) {
      const problem = await stepDownProblem(db, name, each.limits)
      if (problem !== null) throw new StoreError(`${each.place}.${problem}`)
    }
  }
}

async function checkChains(db: Transaction<Database>): Promise<void> {
  const providers = await db.selectFrom('providers').select('name').execute()
  const known = new Set(providers.map(({ name }) => name))
  const registered = await db.selectFrom('registry').select(['provider', 'model', 'mode']).execute()
  const modes = new Map(registered.map(({ provider, model, mode }) => [`${provider}/${model}`, mode]))
  const shared = new Map<string, string>()
  for (const row of await db.selectFrom('routes').selectAll().orderBy('managed_by').execute()) {
    const place = `workspaces.${row.workspace}.routes.${row.alias}`
    const other = row.shared === 1 ? shared.get(row.alias) : undefined
    if (other !== undefined) throw new StoreError(`${place}.shared: workspace '${other}' already shares this alias`)
    if (row.shared === 1) shared.set(row.alias, row.workspace)
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
