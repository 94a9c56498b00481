import type { FileConfig } from '../../domain/file-config.ts'
import { parsePrices } from '../../domain/pricing/price.ts'
import type { ProviderKinds } from '../../domain/provider.ts'
import { proxySecrets } from '../../domain/proxy-url.ts'
import { providerFromRow } from '../control/providers.ts'
import { canonicalPrices } from '../control/registry.ts'
import { cacheFromRow, defaultsFromRow } from '../control/routes.ts'
import type { BuiltinModel, BuiltinRegistry } from '../control/seed-registry.ts'
import type { ControlRows } from '../control/snapshot.ts'
import { settingsFromRow } from '../control/workspaces.ts'
import type { KeyRow, RegistryRow, RouteRow } from '../engine/schema.ts'
import type { Secrets } from '../engine/secrets.ts'
import type { AlertRows } from './config-alerts.ts'
import type { CallerRows } from './config-callers.ts'
import { exportedAlerts } from './export-alerts.ts'
import { exportedCallers } from './export-callers.ts'
import { placeholders } from './placeholders.ts'

export interface ExportedConfig {
  /** A configuration whose secrets are `${NAME}`, from the environment of the one who applies it. */
  config: unknown
  /** The variables it needs, sorted. */
  variables: string[]
  /** Providers that come from the environment and are not in it. */
  fromEnvironment: string[]
}

interface ExportInput {
  rows: ControlRows
  alerts: AlertRows
  callers: CallerRows
  secrets: Secrets
  builtin: BuiltinRegistry
  kinds: Pick<ProviderKinds, 'onCallerLeft'>
  now: number
}

/** Everything that was set, without the defaults: applied to an empty gateway, it recreates this one. */
export function exportConfig({ rows, alerts, callers, secrets, builtin, kinds, now }: ExportInput): ExportedConfig {
  const { text, secret, names } = placeholders()
  const providers = sorted(rows.providers, (row) => row.name).filter((row) => row.managed_by !== 'environment')
  const workspaces = sorted(rows.workspaces, (row) => row.name).map((row) => {
    const { name, description } = row
    const routes = sorted(rows.routes, (row) => row.alias).filter((row) => row.workspace === name)
    const keys = sorted(rows.keys, (row) => `${row.name} ${row.id}`).filter(
      (row) => row.workspace === name && isExported(row, now),
    )
    const own = given({ description, ...settingsFromRow(row) })
    return [name, { ...own, routes: routeDefinitions(routes), keys: keyDefinitions(keys) }]
  })
  const config = {
    providers: Object.fromEntries(
      providers.map((row) => {
        const provider = providerFromRow(row, secrets)
        const { apiKey, onCallerLeft, onEstimate, speaks, preset = null, settings = null, ca = null, proxy } = provider
        const named = (values: Readonly<Record<string, string>> = {}) => {
          const names = Object.keys(values)
          return names.length === 0 ? null : Object.fromEntries(names.map((name) => [name, secret(row.name, name)]))
        }
        return [
          row.name,
          {
            family: row.family,
            ...given({ preset, base_url: row.base_url, settings, ca }),
            ...(apiKey === null ? {} : { api_key: secret(row.name, 'api_key') }),
            ...(onCallerLeft === kinds.onCallerLeft(row.family) ? {} : { on_caller_left: onCallerLeft }),
            ...(onEstimate === undefined ? {} : { on_estimate: onEstimate }),
            ...(speaks === undefined ? {} : { speaks }),
            ...given({ passthrough: provider.passthrough ?? null }),
            ...(proxy === undefined
              ? {}
              : { proxy: proxySecrets(proxy).length === 0 ? proxy : secret(row.name, 'proxy') }),
            ...given({ headers: named(provider.headers), credentials: named(provider.credentials) }),
          },
        ]
      }),
    ),
    workspaces: Object.fromEntries(workspaces),
    registry: registryEntries(rows, builtin),
    ...given({ alerts: exportedAlerts(alerts, secrets, secret), ...exportedCallers(callers, rows.keys) }),
  }
  const fromEnvironment = rows.providers.filter((row) => row.managed_by === 'environment').map((row) => row.name)
  return { config: text(config), variables: names(), fromEnvironment: fromEnvironment.sort() }
}

/** GATEWAY_KEY creates its key at every start, without a file. */
function isExported(row: KeyRow, now: number): boolean {
  const isLive = row.revoked_at === null && (row.expires_at === null || row.expires_at > now)
  return row.kind === 'live' && isLive && row.name !== 'GATEWAY_KEY'
}

function routeDefinitions(rows: readonly RouteRow[]): unknown {
  return Object.fromEntries(
    rows.map((row) => {
      const interchangeable = row.interchangeable === 1 ? true : null
      const shared = row.shared === 1 ? true : null
      const [cache, defaults] = [cacheFromRow(row), defaultsFromRow(row)]
      const { description, compaction, prompt_cache } = row
      const settings = given({ description, interchangeable, compaction, prompt_cache, shared, cache, defaults })
      return [row.alias, { ...settings, chain: JSON.parse(row.chain) }]
    }),
  )
}

/** Of several keys with one name the newest. */
function keyDefinitions(rows: readonly KeyRow[]): unknown {
  return Object.fromEntries(
    rows.map((row) => [
      row.name,
      {
        ...given({ expires_at: row.expires_at === null ? null : new Date(row.expires_at).toISOString() }),
        ...given({ paused: row.paused_at === null ? null : true }),
        ...given({ allowed_models: row.allowed_models === null ? null : JSON.parse(row.allowed_models) }),
        ...given({ limits: row.limits === null ? null : JSON.parse(row.limits) }),
      },
    ]),
  )
}

type Entry = FileConfig['registry'][number]

function registryEntries(rows: ControlRows, builtin: BuiltinRegistry): Entry[] {
  const name = (provider: string, model: string) => JSON.stringify([provider, model])
  const ours = new Map(builtin.models.map((model) => [name(model.facts.provider, model.facts.model), model]))
  const prices = new Map(rows.prices.map((row) => [name(row.provider, row.model), row.prices]))
  return sorted(rows.registry, (row) => name(row.provider, row.model)).flatMap((row) => {
    const known = ours.get(name(row.provider, row.model))
    const differing = {
      ...factsThatDiffer(row, known),
      ...pricesThatDiffer(prices.get(name(row.provider, row.model)), known),
    }
    const isShipped = known !== undefined && Object.keys(differing).length === 0
    return isShipped ? [] : [{ provider: row.provider, model: row.model, ...differing }]
  })
}

function factsThatDiffer(row: RegistryRow, known: BuiltinModel | undefined): Partial<Entry> {
  const facts = known?.facts
  const pairs: Record<string, [present: unknown, without: unknown]> = {
    aliases: [JSON.parse(row.aliases), facts?.aliases ?? []],
    context_window: [row.context_window, facts?.contextWindow ?? null],
    max_output_tokens: [row.max_output_tokens, facts?.maxOutputTokens ?? null],
    max_input_tokens: [row.max_input_tokens, facts?.maxInputTokens ?? null],
    capabilities: [JSON.parse(row.capabilities), facts?.capabilities ?? []],
    efforts: [row.efforts === null ? null : JSON.parse(row.efforts), facts?.efforts ?? null],
    deprecated: [row.deprecated === 1, facts?.deprecated ?? false],
    shutdown_date: [row.shutdown_date, facts?.shutdownDate ?? null],
    mode: [row.mode, facts?.mode ?? 'chat'],
    note: [row.note, facts?.note ?? null],
  }
  const differing = Object.entries(pairs).filter(([, [a, b]]) => JSON.stringify(a) !== JSON.stringify(b))
  return Object.fromEntries(differing.map(([field, [present]]) => [field, present]))
}

/** All prices when one of them differs: a file's prices are a whole list. */
function pricesThatDiffer(present: string | undefined, known: BuiltinModel | undefined): Partial<Entry> {
  if (present === undefined) return {}
  const list = parsePrices(present)
  if (known !== undefined && JSON.stringify(canonicalPrices(known.prices)) === JSON.stringify(list)) return {}
  const { tiers, unit_prices = [], ...base } = list
  const shipped = known === undefined ? [] : (canonicalPrices(known.prices).unit_prices ?? [])
  const isOwn = JSON.stringify(unit_prices) !== JSON.stringify(shipped)
  const isUnknown = Object.values(base).every((price) => price === null) && tiers.length === 0
  if (isUnknown && !isOwn) return { input_per_mtok: null, output_per_mtok: null }
  return {
    ...(isOwn ? { unit_prices } : {}),
    ...given(base),
    ...(tiers.length === 0 ? {} : { tiers: tiers.map((tier) => given(tier)) }),
  } as Partial<Entry>
}

/** Without the fields that are null. */
function given<T extends object>(fields: T): Partial<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as Partial<T>
}

function sorted<T>(rows: readonly T[], by: (row: T) => string): T[] {
  return rows.toSorted((a, b) => (by(a) < by(b) ? -1 : 1))
}
