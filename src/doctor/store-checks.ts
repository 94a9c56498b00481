import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { definedProvider, type FileConfig } from '../domain/file-config.ts'
import type { Provider } from '../domain/provider.ts'
import { definedEntries } from '../domain/route.ts'
import { streamingText } from '../domain/snapshot.ts'
import { PROVIDER_KINDS } from '../providers/provider-kinds.ts'
import { providerFromRow } from '../store/control/providers.ts'
import { readBuiltinRegistry } from '../store/control/seed-registry.ts'
import type { ControlRows } from '../store/control/snapshot.ts'
import { rowVendor, vendorOf } from '../store/control/vendor.ts'
import { settingsFromRow } from '../store/control/workspaces.ts'
import { openSecrets, type Secrets } from '../store/engine/secrets.ts'
import type { Inspection } from '../store/migrations/inspect.ts'
import { isTooOld, TOO_OLD } from '../store/migrations/migrations.ts'
import { type Check, good, problem } from './check.ts'

export function checkSchema({ schema, knownSchema }: Inspection): Check {
  if (schema === 0) return good('migrations', 'the tables will be created at the first start')
  if (isTooOld(schema)) return problem('migrations', TOO_OLD)
  if (schema === knownSchema) return good('migrations', `schema ${schema} is up to date`)
  return schema < knownSchema
    ? good('migrations', `schema ${schema} will be migrated to ${knownSchema} at the next start: make a backup first`)
    : problem('migrations', `schema ${schema} is newer than this version (${knownSchema}): run the newer gateway`)
}

/** Null where there is no key to decrypt with; nothing is made here. */
export function secretsOf(dataDir: string, keys: string[] | null): Secrets | null {
  return keys !== null || existsSync(join(dataDir, 'secrets.key')) ? openSecrets(dataDir, keys) : null
}

export function checkSecrets(rows: ControlRows | null, secrets: Secrets | null): Check[] {
  const sealed = (rows?.providers ?? []).filter(
    (row) => row.api_key_encrypted !== null || row.headers_encrypted !== null,
  )
  if (sealed.length === 0) return [good('secrets', 'nothing is stored yet')]
  if (secrets === null) {
    return [problem('secrets', 'the file secrets.key is missing: restore it, set SECRETS_KEY, or set the keys again')]
  }
  const failures = sealed.flatMap((row) => {
    try {
      providerFromRow(row, secrets)
      return []
    } catch (error) {
      return [problem('secrets', error instanceof Error ? error.message : String(error))]
    }
  })
  return failures.length > 0 ? failures : [good('secrets', `${sealed.length} stored and readable`)]
}

/** What a start would work with: the environment, what is stored, and the file, each over the one before. */
export function effectiveProviders(
  environment: readonly Provider[],
  rows: ControlRows | null,
  secrets: Secrets | null,
  file: FileConfig | null,
): Provider[] {
  const providers = new Map(environment.map((provider) => [provider.name, provider]))
  for (const row of rows?.providers ?? []) {
    if (row.managed_by === 'environment' || secrets === null) continue
    try {
      providers.set(row.name, providerFromRow(row, secrets))
    } catch {
      // The check of the secrets reports it.
    }
  }
  for (const [name, definition] of Object.entries(file?.providers ?? {})) {
    const inherited = environment.find((provider) => provider.name === name)
    const provider = definedProvider(name, definition, inherited, PROVIDER_KINDS)
    if (provider !== null) providers.set(name, provider)
  }
  return [...providers.values()]
}

/** Whether each workspace would stream: what is stored, the file over it, else the default. */
export function checkStreaming(rows: ControlRows | null, file: FileConfig | null, isOnByDefault: boolean): Check {
  const words = new Map<string, boolean | null>()
  for (const row of rows?.workspaces ?? []) {
    words.set(row.name, row.streaming_managed_by === 'config' ? null : settingsFromRow(row).streaming)
  }
  for (const [name, { streaming }] of Object.entries(file?.workspaces ?? {})) {
    words.set(name, streaming ?? words.get(name) ?? null)
  }
  return good('streaming', `${streamingText(words, isOnByDefault)} (STREAMING, or \`streaming\` of a workspace)`)
}

interface Entry {
  provider: string
  model: string
}

/** Models that a route uses and that have no price. */
export function checkPrices(rows: ControlRows | null, file: FileConfig | null): Check {
  const stored = (rows?.routes ?? []).flatMap(({ chain }) => definedEntries(JSON.parse(chain)))
  const written = Object.values(file?.workspaces ?? {}).flatMap(({ routes }) =>
    Object.values(routes).flatMap(({ chain }) => definedEntries(chain)),
  )
  const used = new Set([...stored, ...written].map(nameOf))
  const priced = pricedModels(rows, file)
  const vendors = vendorsOf(rows, file)
  const isKnown = (name: string) => {
    const [provider = '', ...model] = name.split('/')
    return priced.has(name) || priced.has(`${vendors.get(provider)}/${model.join('/')}`)
  }
  const missing = [...used].filter((name) => !isKnown(name)).sort()
  if (used.size === 0) return good('prices', 'no route names a model yet')
  return missing.length === 0
    ? good('prices', `known for all ${used.size} models of the routes`)
    : problem('prices', `unknown for ${missing.join(', ')}: set them with switchyard registry put, or in the file`)
}

/** Whose prices a provider has, by its name. */
function vendorsOf(rows: ControlRows | null, file: FileConfig | null): Map<string, string | null> {
  const stored = (rows?.providers ?? []).map((row): [string, string | null] => [row.name, rowVendor(row)])
  const written = Object.entries(file?.providers ?? {}).flatMap(([name, definition]): [string, string | null][] => {
    const provider = definedProvider(name, definition, undefined, PROVIDER_KINDS)
    return provider === null ? [] : [[name, vendorOf(provider)]]
  })
  return new Map([...stored, ...written])
}

function nameOf({ provider, model }: Entry): string {
  return `${provider}/${model}`
}

interface Prices {
  input_per_mtok?: string | null | undefined
  output_per_mtok?: string | null | undefined
}

function isPriced({ input_per_mtok, output_per_mtok }: Prices): boolean {
  return typeof input_per_mtok === 'string' && typeof output_per_mtok === 'string'
}

function pricedModels(rows: ControlRows | null, file: FileConfig | null): Set<string> {
  const shipped = readBuiltinRegistry().models.filter(({ prices }) => isPriced(prices))
  const names = new Set(shipped.flatMap(({ facts }) => spellings(facts.provider, facts.model, facts.aliases)))
  const versions = new Map((rows?.prices ?? []).map((row) => [nameOf(row), JSON.parse(row.prices) as Prices]))
  for (const row of rows?.registry ?? []) {
    const isKnown = isPriced(versions.get(nameOf(row)) ?? {})
    for (const name of spellings(row.provider, row.model, JSON.parse(row.aliases) as string[])) {
      if (isKnown) names.add(name)
      else names.delete(name)
    }
  }
  for (const entry of file?.registry ?? []) if (isPriced(entry)) names.add(nameOf(entry))
  return names
}

function spellings(provider: string, model: string, aliases: readonly string[]): string[] {
  return [model, ...aliases].map((spelling) => `${provider}/${spelling}`)
}
