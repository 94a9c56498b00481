import type { Kysely } from 'kysely'
import { contentProblem } from '../content/settings-problem.ts'
import type { FileConfig } from '../domain/file-config.ts'
import type { Provider } from '../domain/provider.ts'
import { PROVIDER_KINDS } from '../providers/provider-kinds.ts'
import { applyConfig, type ConfigResult } from '../store/config-file/apply-config.ts'
import type { CreatedKey } from '../store/config-file/apply-config-keys.ts'
import { createKey, ensureKey, hasKeys } from '../store/control/keys.ts'
import { ensureEnvironmentProviders } from '../store/control/providers.ts'
import { seedRegistry } from '../store/control/seed-registry.ts'
import { ensureWorkspace } from '../store/control/workspaces.ts'
import type { Database } from '../store/engine/schema.ts'
import type { Secrets } from '../store/engine/secrets.ts'
import { StoreError } from '../store/engine/store-error.ts'
import type { Log } from '../telemetry/log.ts'
import { asProvider, type Config, ConfigError } from './config.ts'
import type { Store } from './open-store.ts'

/** Values created at this start, shown once; null where a key existed. */
export interface NewKeys {
  gatewayKey: string | null
  adminKey: string | null
  fileKeys: CreatedKey[]
}

const DEFAULT_WORKSPACE = 'default'

/** Applies the environment and the file to the store. */
export async function prepareStore(store: Store, config: Config, log: Log, now: number): Promise<NewKeys> {
  const { db, secrets } = store
  await ensureWorkspace(db, DEFAULT_WORKSPACE, now)
  await seedRegistry(db, now)
  await ensureEnvironmentProviders(db, secrets, environmentProviders(config), now)
  const fileKeys = await applyFirst(store, config, log, now)
  const gatewayKey = await bootstrapKey(store, 'live', config.settings.GATEWAY_KEY, log, now)
  const adminKey = await bootstrapKey(store, 'admin', config.settings.ADMIN_KEY, log, now)
  return { gatewayKey, adminKey, fileKeys }
}

export function environmentProviders(config: Config): Provider[] {
  return config.environmentProviders.map(asProvider)
}

interface Applying {
  secrets: Secrets
  config: Config
  now: number
}

async function applyFirst({ db, secrets }: Store, config: Config, log: Log, now: number): Promise<CreatedKey[]> {
  if (config.file === null) return []
  const { created, changes } = await applyFile(db, { secrets, config, now }, config.file.config)
  log.info({ file: config.filePath, changes: changes.length }, 'configuration applied')
  return created
}

/** Applies the file, at the start and after every change. */
export async function applyFile(
  db: Kysely<Database>,
  { secrets, config, now }: Applying,
  file: FileConfig,
): Promise<ConfigResult> {
  const path = config.filePath
  try {
    const environment = environmentProviders(config)
    const actor = { id: 'config', name: path }
    // The gateway's own file is the whole of what a file manages here, so what it drops is deleted.
    const how = { environment, kinds: PROVIDER_KINDS, contentProblem, actor, prune: true, now }
    return await applyConfig(db, { secrets, config: file, ...how })
  } catch (error) {
    if (error instanceof StoreError) throw new ConfigError(`${path}: ${error.message}`)
    throw error
  }
}

/** The value from the environment, or a new first one when there is none at all. */
async function bootstrapKey(
  store: Store,
  kind: 'live' | 'admin',
  wanted: string | undefined,
  log: Log,
  now: number,
): Promise<string | null> {
  const workspace = kind === 'live' ? DEFAULT_WORKSPACE : null
  if (wanted === undefined) {
    if (await hasKeys(store.db, kind, now)) return null
    return (await createKey(store.db, { kind, workspace, name: 'first' }, now)).value
  }
  const variable = kind === 'live' ? 'GATEWAY_KEY' : 'ADMIN_KEY'
  const outcome = await ensureKey(store.db, { kind, workspace, name: variable, value: wanted }, now)
  if (outcome === 'revoked') log.warn(`${variable} is set to a revoked key, which stays refused. Set a new value`)
  if (outcome === 'added') {
    log.warn(`${variable} has a new value; the previous one works until you revoke it: switchyard keys values KEY_ID`)
  }
  if (outcome === 'taken')
    throw new ConfigError(`${variable} is set to the value of another kind of key. Set a different value`)
  return null
}
