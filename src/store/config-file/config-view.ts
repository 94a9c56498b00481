import { parsePrices } from '../../domain/pricing/price.ts'
import { DEFAULT_ON_CALLER_LEFT } from '../../domain/provider.ts'
import { worksAt } from '../control/key-values.ts'
import { providerFromRow } from '../control/providers.ts'
import type { ControlRows } from '../control/snapshot.ts'
import { managersFromRow, settingsFromRow } from '../control/workspaces.ts'
import type { KeyRow, ManagedBy, ProviderRow, RegistryRow, RouteRow } from '../engine/schema.ts'
import type { Secrets } from '../engine/secrets.ts'

/** One object that a configuration file can describe, as people may see it. */
export interface ViewedObject {
  /** `routes/fast`, `keys/ci`: by name, so that a plan and what was applied read the same. */
  resource: string
  /** As the other audit rows name it: a key by its id. */
  auditResource: string
  workspace: string | null
  managedBy: ManagedBy
  fields: Readonly<Record<string, unknown>>
  /** Compared, never shown. */
  secrets: Readonly<Record<string, string | null>>
}

/** By a name that no two share: of keys that is their id. In the order in which people read them. */
export type ConfigView = ReadonlyMap<string, ViewedObject>

export function viewConfig(rows: ControlRows, secrets: Secrets, now: number): ConfigView {
  const prices = new Map(rows.prices.map((row) => [JSON.stringify([row.provider, row.model]), row.prices]))
  const working = rows.keyValues.filter((value) => worksAt(value, now)).sort((a, b) => (a.id < b.id ? -1 : 1))
  const hashes = new Map(working.map(({ key_id, hash }) => [key_id, hash]))
  const objects = [
    ...rows.workspaces.map(viewedWorkspace),
    ...rows.providers.map((row) => viewedProvider(row, secrets)),
    ...rows.registry.map((row) => viewedModel(row, prices.get(JSON.stringify([row.provider, row.model])))),
    ...rows.routes.map(viewedRoute),
    ...rows.keys.filter((row) => isManaged(row, now)).map((row) => viewedKey(row, hashes.get(row.id) ?? null)),
  ]
  return new Map(objects.map((object) => [`${object.workspace ?? ''} ${object.auditResource}`, object]))
}

/** Admin keys are no part of a configuration; a revoked key is gone. */
function isManaged(row: KeyRow, now: number): boolean {
  return row.kind === 'live' && (row.revoked_at === null || row.revoked_at > now)
}

function viewed(object: Partial<ViewedObject> & { resource: string }): ViewedObject {
  return { auditResource: object.resource, workspace: null, managedBy: null, fields: {}, secrets: {}, ...object }
}

function viewedWorkspace(row: ControlRows['workspaces'][number]): ViewedObject {
  const { name, description } = row
  return viewed({
    resource: `workspaces/${name}`,
    workspace: name,
    fields: { description, ...settingsFromRow(row), ...managersFromRow(row) },
  })
}

function viewedProvider(row: ProviderRow, secrets: Secrets): ViewedObject {
  return viewed({
    resource: `providers/${row.name}`,
    managedBy: row.managed_by,
    fields: {
      family: row.family,
      base_url: row.base_url,
      on_caller_left: row.on_caller_left ?? DEFAULT_ON_CALLER_LEFT,
      ...(row.on_estimate === 'hold' ? { on_estimate: row.on_estimate } : {}),
      ...(row.speaks === null ? {} : { speaks: row.speaks }),
      ...(row.options === null ? {} : JSON.parse(row.options)),
    },
    secrets: providerSecrets(row, secrets),
  })
}

/** What cannot be decrypted is still something: it compares as the ciphertext it is. */
function providerSecrets(row: ProviderRow, secrets: Secrets): Record<string, string | null> {
  try {
    const { apiKey, headers, credentials = {}, proxy } = providerFromRow(row, secrets)
    const named = Object.entries({ headers, credentials }).flatMap(([field, values]) =>
      Object.entries(values).map(([name, value]) => [`${field}.${name}`, value]),
    )
    return { api_key: apiKey, ...Object.fromEntries(named), ...(proxy === undefined ? {} : { proxy }) }
  } catch {
    const { api_key_encrypted, headers_encrypted, credentials_encrypted } = row
    const sealed = { api_key: api_key_encrypted, headers: headers_encrypted }
    return credentials_encrypted === null ? sealed : { ...sealed, credentials: credentials_encrypted }
  }
}

function viewedModel(row: RegistryRow, prices: string | undefined): ViewedObject {
  const { provider, model, managed_by, updated_at: _when, ...facts } = row
  return viewed({
    resource: `registry/${provider}/${model}`,
    managedBy: managed_by,
    fields: {
      ...facts,
      aliases: JSON.parse(facts.aliases),
      capabilities: JSON.parse(facts.capabilities),
      efforts: parsedOrNull(facts.efforts),
      deprecated: facts.deprecated === 1,
      ...(prices === undefined ? {} : parsePrices(prices)),
    },
  })
}

function viewedRoute(row: RouteRow): ViewedObject {
  return viewed({
    resource: `routes/${row.alias}`,
    workspace: row.workspace,
    managedBy: row.managed_by,
    fields: {
      description: row.description,
      chain: JSON.parse(row.chain),
      ...(row.interchangeable === 1 ? { interchangeable: true } : {}),
      ...(row.compaction === null ? {} : { compaction: row.compaction }),
      ...(row.prompt_cache === null ? {} : { prompt_cache: row.prompt_cache }),
      ...(row.shared === 1 ? { shared: true } : {}),
      ...(row.cache === null ? {} : { cache: JSON.parse(row.cache) }),
      ...(row.defaults === null ? {} : { defaults: JSON.parse(row.defaults) }),
    },
  })
}

function viewedKey(row: KeyRow, hash: string | null): ViewedObject {
  return viewed({
    resource: `keys/${row.name}`,
    auditResource: `keys/${row.id}`,
    workspace: row.workspace,
    managedBy: row.managed_by,
    fields: {
      name: row.name,
      expires_at: row.expires_at === null ? null : new Date(row.expires_at).toISOString(),
      paused: row.paused_at !== null || null,
      allowed_models: parsedOrNull(row.allowed_models),
      limits: parsedOrNull(row.limits),
    },
    secrets: { value: hash },
  })
}

function parsedOrNull(text: string | null): unknown {
  return text === null ? null : JSON.parse(text)
}
