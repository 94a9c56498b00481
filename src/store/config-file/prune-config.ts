import type { Transaction } from 'kysely'
import type { FileConfig } from '../../domain/file-config.ts'
import type { Provider } from '../../domain/provider.ts'
import { revokeKey } from '../control/keys.ts'
import { deleteProvider, ensureEnvironmentProviders } from '../control/providers.ts'
import { deleteModel } from '../control/registry.ts'
import { deleteRoute } from '../control/routes.ts'
import { seedRegistry } from '../control/seed-registry.ts'
import { setFileSettings } from '../control/workspaces.ts'
import type { Database } from '../engine/schema.ts'
import type { Secrets } from '../engine/secrets.ts'
import { pruneAlert } from './config-alerts.ts'
import { pruneCaller } from './config-callers.ts'
import type { ConfigView, ViewedObject } from './config-view.ts'

export type NotInFile = Pick<ViewedObject, 'workspace' | 'resource'>

/** What belongs to a file, but not to this one. Decided once, so a plan lists exactly what pruning deletes. */
export function notInFile(view: ConfigView, file: FileConfig): ViewedObject[] {
  const { providers, workspaces, registry, alerts } = file
  const models = new Set(registry.map(({ provider, model }) => `${provider}/${model}`))
  const of = (workspace: string | null) =>
    Object.hasOwn(workspaces, workspace ?? '') ? workspaces[workspace ?? ''] : null
  const isNamed: Record<string, (name: string, workspace: string | null) => boolean> = {
    workspaces: (name) => Object.hasOwn(workspaces, name),
    providers: (name) => Object.hasOwn(providers, name),
    registry: (name) => models.has(name),
    routes: (name, workspace) => Object.hasOwn(of(workspace)?.routes ?? {}, name),
    'alert-rules': (name) => Object.hasOwn(alerts.rules, name),
    'alert-channels': (name) => Object.hasOwn(alerts.channels, name),
    'token-issuers': (name) => Object.hasOwn(file.token_issuers, name),
    'key-templates': (name) => Object.hasOwn(file.key_templates, name),
    keys: (name, workspace) => Object.hasOwn(of(workspace)?.keys ?? {}, name),
  }
  return [...view.values()].filter((object) => {
    const [kind, name] = partsOf(object.resource)
    return belongsToFile(object) && isNamed[kind]?.(name, object.workspace) === false
  })
}

/** A workspace has no owner as a whole, only some of its settings do. */
function belongsToFile({ managedBy, fields }: ViewedObject): boolean {
  const owners = Object.entries(fields).filter(([field]) => field.endsWith('_managed_by'))
  return managedBy === 'config' || owners.some(([, owner]) => owner === 'config')
}

interface Pruning {
  db: Transaction<Database>
  secrets: Secrets
  environment: readonly Provider[]
  now: number
}

export async function pruneConfig(pruning: Pruning, objects: readonly ViewedObject[]): Promise<void> {
  const { db, secrets, environment, now } = pruning
  for (const object of objects) await prune(pruning, object)
  // What the environment and the shipped list define is theirs again.
  await ensureEnvironmentProviders(db, secrets, environment, now)
  await seedRegistry(db, now)
}

async function prune({ db, now }: Pruning, { resource, auditResource, workspace }: ViewedObject): Promise<void> {
  const [kind, name] = partsOf(resource)
  if (kind === 'workspaces') await setFileSettings(db, name)
  else if (kind === 'providers') await deleteProvider(db, name)
  else if (kind === 'routes') await deleteRoute(db, workspace ?? '', name)
  else if (kind.startsWith('alert-')) await pruneAlert(db, kind, name, partsOf(auditResource)[1])
  else if (kind === 'token-issuers' || kind === 'key-templates') await pruneCaller(db, kind, name, now)
  else if (kind === 'keys') await revokeKey(db, partsOf(auditResource)[1], now)
  else {
    const [provider, model] = partsOf(name)
    await deleteModel(db, provider, model)
  }
}

/** `registry/local/some/model` → `registry` and `local/some/model`. */
function partsOf(path: string): [first: string, rest: string] {
  const slash = path.indexOf('/')
  return [path.slice(0, slash), path.slice(slash + 1)]
}
