import { type Config, type Environment, portsOf, readConfig } from '../app/config.ts'
import { openUpstream } from '../app/open-upstream.ts'
import { environmentProviders } from '../app/prepare-store.ts'
import type { Provider } from '../domain/provider.ts'
import { builtinProviders, PROVIDER_KINDS } from '../providers/provider-kinds.ts'
import type { Secrets } from '../store/engine/secrets.ts'
import { StoreError } from '../store/engine/store-error.ts'
import { type Inspection, inspectStore, isDataDirInUse } from '../store/migrations/inspect.ts'
import { attempt, type Check, good, problem } from './check.ts'
import { checkCache, checkCounters } from './counters-check.ts'
import { checkDataDir, checkLock, checkNode, checkPort, checkTelemetry, checkThreads } from './machine-checks.ts'
import { checkCharges, checkClock, checkProviders, checkProxies, checkSharedKeys } from './provider-checks.ts'
import {
  checkPrices,
  checkSchema,
  checkSecrets,
  checkStreaming,
  effectiveProviders,
  secretsOf,
} from './store-checks.ts'

/** Everything a gateway started here and now would meet. Changes nothing, and works beside a running one. */
export async function runChecks(environment: Environment): Promise<Check[]> {
  const checks = [checkNode()]
  const config = tryReadConfig(environment, checks)
  if (config === null) return checks
  const { DATA_DIR: dataDir, DATABASE_URL: databaseUrl = null, SECRETS_KEY } = config.settings
  const isInUse = isDataDirInUse(dataDir)
  checks.push(
    ...(await attempt('data folder', () => checkDataDir(dataDir))),
    checkLock(dataDir, isInUse),
    checkThreads(config.settings.SERVING_THREADS),
    ...checkTelemetry(config.settings),
    ...(await portChecks(config, isInUse)),
  )
  const inspection = await tryInspect(dataDir, databaseUrl, checks)
  const { REDIS_URL: countersUrl, REDIS_PREFIX, CACHE_REDIS_URL: cacheUrl } = config.settings
  const counting = { prefix: `{${REDIS_PREFIX}}:`, installation: inspection?.installation ?? null }
  if (countersUrl !== undefined) checks.push(...(await checkCounters(countersUrl, counting)))
  if (cacheUrl !== undefined) checks.push(await checkCache(cacheUrl))
  const keys = SECRETS_KEY?.split(',').map((key) => key.trim()) ?? null
  const secrets = secretsOf(dataDir, keys)
  checks.push(...(await attempt('secrets', () => checkSecrets(inspection?.rows ?? null, secrets))))
  checks.push(...checkProxies(environment))
  checks.push(...(await outwardChecks(environment, config, inspection, secrets)))
  checks.push(...checkCharges(inspection?.rows ?? null))
  checks.push(checkPrices(inspection?.rows ?? null, config.file?.config ?? null))
  checks.push(checkStreaming(inspection?.rows ?? null, config.file?.config ?? null, config.settings.STREAMING === 'on'))
  return checks
}

async function portChecks({ settings }: Config, isInUse: boolean): Promise<Check[]> {
  const { calls, administration } = portsOf(settings)
  const places = administration === null ? [calls] : [calls, administration]
  return (await Promise.all(places.map((place) => attempt('port', () => checkPort(place, isInUse))))).flat()
}

function tryReadConfig(environment: Environment, checks: Check[]): Config | null {
  try {
    const config = readConfig(environment, builtinProviders(), PROVIDER_KINDS)
    const file = config.file === null ? `there is no file ${config.filePath}` : `${config.filePath} is valid`
    checks.push(good('configuration', file))
    return config
  } catch (error) {
    checks.push(problem('configuration', error instanceof Error ? error.message : String(error)))
    return null
  }
}

async function tryInspect(dataDir: string, databaseUrl: string | null, checks: Check[]): Promise<Inspection | null> {
  const engine = databaseUrl === null ? 'SQLite' : 'PostgreSQL'
  try {
    const inspection = await inspectStore(dataDir, databaseUrl)
    checks.push(
      good('database', `${engine} ${inspection.schema === 0 ? 'will be set up at the first start' : 'answers'}`),
    )
    checks.push(checkSchema(inspection))
    return inspection
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const todo = databaseUrl === null ? 'restore a backup of it' : 'check DATABASE_URL and that the server runs'
    const said = error instanceof StoreError ? reason : `${engine} does not answer (${reason}): ${todo}`
    checks.push(problem('database', said))
    return null
  }
}

async function outwardChecks(
  environment: Environment,
  config: Config,
  inspection: Inspection | null,
  secrets: Secrets | null,
): Promise<Check[]> {
  const file = config.file?.config ?? null
  const fromEnvironment: Provider[] = environmentProviders(config)
  const providers = effectiveProviders(fromEnvironment, inspection?.rows ?? null, secrets, file)
  const deps = openUpstream(Date.now, environment)
  try {
    return [
      ...(await checkProviders(providers, deps)),
      ...checkSharedKeys(providers),
      ...(await attempt('clock', () => checkClock(providers, deps))),
    ]
  } finally {
    deps.upstream.close()
  }
}
