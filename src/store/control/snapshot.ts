import type { Kysely } from 'kysely'
import { type CorrectedDay, correctionsEnd, withCorrections } from '../../domain/budgets/corrections.ts'
import { openingEnds, openingFromText, withOpening } from '../../domain/budgets/opening-spend.ts'
import { type Raises, raisesByCounter, withRaises } from '../../domain/budgets/raises.ts'
import { type Guardrail, type GuardrailSettings, guardrailContext } from '../../domain/content/guardrail.ts'
import type { Key, KeyValue } from '../../domain/key.ts'
import { limitsFromText } from '../../domain/limits.ts'
import { compilePrice, type Price, parsePrices } from '../../domain/pricing/price.ts'
import { compileResale } from '../../domain/pricing/resale.ts'
import type { Provider } from '../../domain/provider.ts'
import type { Route } from '../../domain/route.ts'
import type { RegistryModel, Snapshot, Workspace } from '../../domain/snapshot.ts'
import type { Database, KeyRow, PriceVersionRow, RegistryRow } from '../engine/schema.ts'
import type { Secrets } from '../engine/secrets.ts'
import { correctedDays, correctedOf } from './books/corrections.ts'
import { keyFromRow } from './keys.ts'
import { issuerMap } from './people/token-issuers.ts'
import { providerFromRow } from './providers.ts'
import { activeRaises } from './raises.ts'
import { newestPriceVersions } from './registry.ts'
import { readResumedSessions } from './resumed-sessions.ts'
import { routeFromRow } from './routes.ts'
import { BUILTIN } from './seed-registry.ts'
import { vendorOf } from './vendor.ts'
import { settingsFromRow } from './workspaces.ts'

/** Reads all control data in one transaction, so that its parts fit together. */
export async function loadSnapshot(db: Kysely<Database>, secrets: Secrets, now = Date.now()): Promise<Snapshot> {
  const rows = await db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute((transaction) => readControlRows(transaction, now))
  const corrected = correctedOf(rows.corrected)
  const raises = raisesByCounter(rows.raises)
  const keys = new Map(rows.keys.map((row) => [row.id, keyAt(row, corrected.key.get(row.id), raises, now)]))
  const providers = new Map(rows.providers.map((row) => [row.name, providerFromRow(row, secrets)]))
  return {
    workspaces: workspaceMap(rows, secrets, { now, corrected: corrected.workspace, raises }),
    openingsEnd: firstEnd(rows, now),
    ...endOf(rows, now),
    ...(raises.size > 0 && { raises }),
    keys,
    valuesByHash: valueMap(rows, keys),
    ...(rows.tokenIssuers.length > 0 && { tokenIssuers: issuerMap(rows.tokenIssuers, rows.tokenRevocations) }),
    providers,
    registry: withVendors(rows, providers),
  }
}

export type ControlRows = Awaited<ReturnType<typeof readControlRows>>

export async function readControlRows(db: Kysely<Database>, now = Date.now()) {
  return {
    workspaces: await db.selectFrom('workspaces').selectAll().execute(),
    routes: await db.selectFrom('routes').selectAll().execute(),
    keys: await db.selectFrom('keys').selectAll().execute(),
    keyValues: await db.selectFrom('key_values').selectAll().execute(),
    providers: await db.selectFrom('providers').selectAll().execute(),
    registry: await db.selectFrom('registry').selectAll().execute(),
    tokenIssuers: await db.selectFrom('token_issuers').selectAll().execute(),
    tokenRevocations: await db.selectFrom('token_revocations').selectAll().execute(),
    corrected: await correctedDays(db),
    raises: await activeRaises(db, now),
    resumed: await readResumedSessions(db),
    prices: await newestPriceVersions(db),
  }
}

const NEVER: readonly CorrectedDay[] = []
const NONE_RESUMED: ReadonlyMap<string, number> = new Map()

/** When corrections and raises change what limits say. */
function endOf({ corrected, raises }: ControlRows, now: number): Pick<Snapshot, 'correctionsEnd'> {
  const ends = raises.map(({ until }) => until)
  if (corrected.length > 0) ends.push(correctionsEnd(now))
  return ends.length === 0 ? {} : { correctionsEnd: Math.min(...ends) }
}

function keyAt(row: KeyRow, corrected: readonly CorrectedDay[] | undefined, raises: Raises, now: number): Key {
  const key = keyFromRow(row)
  const opened = withOpening(key.limits, openingFromText(row.opening), now)
  const counted = withCorrections(opened, corrected ?? NEVER, now)
  const limits = withRaises(counted, key.workspace ?? '', key.id, raises, now)
  return limits === key.limits ? key : { ...key, limits }
}

/** When the first opening spend no longer counts. */
function firstEnd({ keys, workspaces }: ControlRows, now: number): number | null {
  let first: number | null = null
  for (const { limits, opening } of [...keys, ...workspaces]) {
    const { budget } = opening === null ? {} : (limitsFromText(limits) ?? {})
    const spend = openingFromText(opening)
    const ends = spend === null || budget === undefined ? null : openingEnds(spend, budget.per)
    if (ends !== null && ends > now && (first === null || ends < first)) first = ends
  }
  return first
}

function workspaceMap(
  rows: Pick<ControlRows, 'workspaces' | 'routes' | 'resumed'>,
  secrets: Secrets,
  { now, corrected, raises }: { now: number; corrected: ReadonlyMap<string, readonly CorrectedDay[]>; raises: Raises },
): Map<string, Workspace> {
  const routes = new Map<string, Map<string, Route>>()
  for (const { name } of rows.workspaces) routes.set(name, new Map())
  for (const row of rows.routes) routes.get(row.workspace)?.set(row.alias, routeFromRow(row))
  for (const { workspace, alias, shared } of rows.routes) {
    const route = shared === 1 ? routes.get(workspace)?.get(alias) : undefined
    if (route === undefined) continue
    for (const own of routes.values()) if (!own.has(alias)) own.set(alias, route)
  }
  return new Map(
    rows.workspaces.map((row) => {
      const { name, created_at: createdAt } = row
      const own = routes.get(name) ?? new Map<string, Route>()
      const hasCache = [...own.values()].some(({ cache }) => cache !== undefined)
      const {
        limits: stated,
        streaming,
        content,
        guardrail,
        direct_models,
        resale: list,
        loops: watched,
      } = settingsFromRow(row)
      const opened = withOpening(stated, openingFromText(row.opening), now)
      const counted = withCorrections(opened, corrected.get(name) ?? NEVER, now)
      const limits = withRaises(counted, name, '', raises, now)
      const checked = guardrailOf(name, guardrail, secrets)
      const resale = list === null ? null : compileResale(list)
      const loops = watched === null ? null : { settings: watched, resumed: rows.resumed.get(name) ?? NONE_RESUMED }
      const settings = {
        limits,
        streaming,
        content,
        guardrail: checked,
        hasDirectModels: direct_models ?? true,
        resale,
        loops,
      }
      return [name, { name, createdAt, ...settings, routes: own, ...(hasCache && { hasCache }) }]
    }),
  )
}

function guardrailOf(workspace: string, settings: GuardrailSettings | null, secrets: Secrets): Guardrail | null {
  if (settings === null) return null
  return { ...settings, secrets: secrets.derived(guardrailContext(workspace)).map((secret) => `whsec_${secret}`) }
}

function valueMap({ keyValues }: ControlRows, keys: ReadonlyMap<string, Key>): Map<string, KeyValue> {
  const values = new Map<string, KeyValue>()
  for (const { id, key_id, hash, ends_at: endsAt } of keyValues) {
    const key = keys.get(key_id)
    if (key !== undefined) values.set(hash, { id, endsAt, key })
  }
  return values
}

const UNKNOWN_PRICE: Price = { base: null, tiers: [] }

function registryMap(
  rows: readonly RegistryRow[],
  versions: readonly PriceVersionRow[],
): Map<string, Map<string, RegistryModel>> {
  const newest = new Map(versions.map((version) => [JSON.stringify([version.provider, version.model]), version]))
  const models = rows.map((row) => registryModel(row, newest.get(JSON.stringify([row.provider, row.model]))))
  const registry = new Map<string, Map<string, RegistryModel>>()
  for (const model of models) {
    const known = registry.get(model.provider) ?? new Map<string, RegistryModel>()
    for (const alias of model.aliases) if (!known.has(alias)) known.set(alias, model)
    registry.set(model.provider, known)
  }
  // A model's own id wins over another one's alias.
  for (const model of models) registry.get(model.provider)?.set(model.model, model)
  return registry
}

/** A provider under its own name is priced as its vendor, where its own rows do not say otherwise. */
function withVendors(
  rows: Pick<ControlRows, 'registry' | 'prices'>,
  providers: ReadonlyMap<string, Provider>,
): Map<string, ReadonlyMap<string, RegistryModel>> {
  const registry = registryMap(rows.registry, rows.prices)
  const shipped = new Set(rows.prices.filter(({ source }) => source.startsWith(BUILTIN)).map(({ id }) => id))
  const all = new Map<string, ReadonlyMap<string, RegistryModel>>(registry)
  for (const provider of providers.values()) {
    const vendor = vendorOf(provider)
    const listed = vendor === null || vendor === provider.name ? undefined : registry.get(vendor)
    if (vendor === null || listed === undefined) continue
    const namesake = providers.get(vendor)
    // What an operator has set for another server of the vendor's name says nothing of the vendor.
    const isElsewhere = namesake !== undefined && vendorOf(namesake) !== vendor
    const ofVendor = [...listed].filter(([, { priceVersion: id }]) => !isElsewhere || (id !== null && shipped.has(id)))
    all.set(provider.name, new Map([...ofVendor, ...(registry.get(provider.name) ?? [])]))
  }
  return all
}

function registryModel(row: RegistryRow, version: PriceVersionRow | undefined): RegistryModel {
  const prices = version === undefined ? null : parsePrices(version.prices)
  return {
    provider: row.provider,
    model: row.model,
    aliases: JSON.parse(row.aliases) as string[],
    traits: {
      contextWindow: row.context_window,
      maxOutputTokens: row.max_output_tokens,
      efforts: row.efforts === null ? null : (JSON.parse(row.efforts) as string[]),
      thinking: null,
    },
    maxInputTokens: row.max_input_tokens,
    capabilities: JSON.parse(row.capabilities) as string[],
    deprecated: row.deprecated === 1,
    shutdownDate: row.shutdown_date,
    mode: row.mode,
    note: row.note,
    price: prices === null ? UNKNOWN_PRICE : compilePrice(prices),
    priceVersion: version?.id ?? null,
    prices,
  }
}
