import type { Kysely } from 'kysely'
import { DEFAULT_ON_CALLER_LEFT, isSpeakable, type Provider } from '../../domain/provider.ts'
import type { Database, ManagedBy, ProviderRow } from '../engine/schema.ts'
import type { Secrets } from '../engine/secrets.ts'
import { changeControlData } from './control-transaction.ts'

/** Throws a StoreError that names the provider when a secret cannot be decrypted. */
export function providerFromRow(row: ProviderRow, secrets: Secrets): Provider {
  const headers = openSecret(secrets, row.headers_encrypted, row.name, 'headers')
  return {
    name: row.name,
    family: row.family,
    baseUrl: row.base_url,
    apiKey: openSecret(secrets, row.api_key_encrypted, row.name, 'API key'),
    headers: headers === null ? {} : (JSON.parse(headers) as Record<string, string>),
    onCallerLeft: row.on_caller_left === 'drain' ? 'drain' : DEFAULT_ON_CALLER_LEFT,
    ...(row.price_percent === null ? {} : { pricePercent: row.price_percent }),
    ...(row.on_estimate === 'hold' ? { onEstimate: 'hold' } : {}),
    ...spoken(row.speaks),
    ...(row.options === null ? {} : (JSON.parse(row.options) as Options)),
    ...hidden(openSecret(secrets, row.credentials_encrypted, row.name, 'credentials')),
  }
}

/** Kept together: only the whole provider is ever read. */
type Options = Pick<Provider, 'preset' | 'settings' | 'ca' | 'passthrough'>
type Hidden = Pick<Provider, 'credentials' | 'proxy'>

function optionsText({ preset, settings, ca, passthrough }: Provider): string | null {
  const options = { preset, settings, ca, passthrough }
  return Object.values(options).every((each) => each === undefined) ? null : JSON.stringify(options)
}

function hiddenText({ credentials, proxy }: Provider): string | null {
  return credentials === undefined && proxy === undefined ? null : JSON.stringify({ credentials, proxy })
}

function hidden(text: string | null): Hidden {
  return text === null ? {} : JSON.parse(text)
}

/** Formats that this version does not know are left out. */
function spoken(written: string | null): Pick<Provider, 'speaks'> {
  if (written === null) return {}
  return { speaks: (JSON.parse(written) as string[]).filter(isSpeakable) }
}

function speaksText({ speaks }: Pick<Provider, 'speaks'>): string | null {
  return speaks === undefined ? null : JSON.stringify(speaks.toSorted())
}

export async function findProvider(db: Kysely<Database>, name: string): Promise<ProviderRow | null> {
  return (await db.selectFrom('providers').selectAll().where('name', '=', name).executeTakeFirst()) ?? null
}

/** Writes the whole provider; true when something changed. Its secrets are re-encrypted only if they changed. */
export async function putProvider(
  db: Kysely<Database>,
  secrets: Secrets,
  provider: Provider,
  managedBy: ManagedBy,
  now: number,
): Promise<boolean> {
  return changeControlData(db, async (transaction) => {
    const present = await findProvider(transaction, provider.name)
    if (present !== null && isSame(present, provider, managedBy, secrets)) return false
    const content = {
      family: provider.family,
      base_url: provider.baseUrl,
      api_key_encrypted: sealSecret(secrets, provider.apiKey, provider.name, 'API key'),
      headers_encrypted: sealSecret(secrets, headersText(provider), provider.name, 'headers'),
      on_caller_left: provider.onCallerLeft,
      on_estimate: provider.onEstimate ?? null,
      speaks: speaksText(provider),
      options: optionsText(provider),
      credentials_encrypted: sealSecret(secrets, hiddenText(provider), provider.name, 'credentials'),
      managed_by: managedBy,
      updated_at: now,
    }
    if (present === null) {
      const row: ProviderRow = { name: provider.name, ...content, created_at: now, price_percent: null }
      await transaction.insertInto('providers').values(row).execute()
    } else {
      // What one address charges says nothing of another.
      const forgotten = present.base_url === provider.baseUrl ? {} : { price_percent: null }
      const changes = { ...content, ...forgotten }
      await transaction.updateTable('providers').set(changes).where('name', '=', provider.name).execute()
    }
    return true
  })
}

/** The rate an answer has shown; a provider already known to charge more, or deleted, stays as it is. */
export async function raisePricePercent(db: Kysely<Database>, name: string, percent: number): Promise<void> {
  await db
    .updateTable('providers')
    .set({ price_percent: percent })
    .where('name', '=', name)
    .where((where) => where.or([where('price_percent', 'is', null), where('price_percent', '<', percent)]))
    .execute()
}

export async function setPricePercent(db: Kysely<Database>, name: string, percent: number | null): Promise<void> {
  await db.updateTable('providers').set({ price_percent: percent }).where('name', '=', name).execute()
}

/** The providers that exist from the environment alone; one that the configuration file owns is left to it. */
export async function ensureEnvironmentProviders(
  db: Kysely<Database>,
  secrets: Secrets,
  providers: readonly Provider[],
  now: number,
): Promise<void> {
  await changeControlData(db, async (transaction) => {
    for (const provider of providers) {
      const present = await findProvider(transaction, provider.name)
      if (present !== null && present.managed_by !== 'environment') continue
      await putProvider(transaction, secrets, provider, 'environment', now)
    }
  })
}

export async function deleteProvider(db: Kysely<Database>, name: string): Promise<boolean> {
  const result = await db.deleteFrom('providers').where('name', '=', name).executeTakeFirst()
  return result.numDeletedRows === 1n
}

/** The row's secrets that another key than the current one encrypted, re-encrypted. */
export function resealed(row: ProviderRow, secrets: Secrets): Partial<Pick<ProviderRow, SecretColumn>> {
  const columns = SECRET_COLUMNS
  return Object.fromEntries(
    Object.entries(columns).flatMap(([column, field]) => {
      const sealed = row[column as keyof typeof columns]
      if (sealed === null || secrets.isCurrent(sealed)) return []
      return [[column, sealSecret(secrets, openSecret(secrets, sealed, row.name, field), row.name, field)]]
    }),
  )
}

function isSame(row: ProviderRow, provider: Provider, managedBy: ManagedBy, secrets: Secrets): boolean {
  if (row.family !== provider.family || row.base_url !== provider.baseUrl || row.managed_by !== managedBy) return false
  try {
    const present = providerFromRow(row, secrets)
    return (
      present.apiKey === provider.apiKey &&
      present.onCallerLeft === provider.onCallerLeft &&
      (present.onEstimate === 'hold') === (provider.onEstimate === 'hold') &&
      speaksText(present) === speaksText(provider) &&
      optionsText(present) === optionsText(provider) &&
      hiddenText(present) === hiddenText(provider) &&
      headersText(present) === headersText(provider)
    )
  } catch {
    // A secret that can no longer be decrypted is being replaced.
    return false
  }
}

function headersText({ headers }: Provider): string | null {
  const entries = Object.entries(headers)
  return entries.length === 0 ? null : JSON.stringify(Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1))))
}

const SECRET_COLUMNS = {
  api_key_encrypted: 'API key',
  headers_encrypted: 'headers',
  credentials_encrypted: 'credentials',
} as const
type SecretColumn = keyof typeof SECRET_COLUMNS
type SecretField = (typeof SECRET_COLUMNS)[SecretColumn]

/** The encrypted values of a row. */
export function sealedIn(row: ProviderRow): string[] {
  return Object.keys(SECRET_COLUMNS).flatMap((column) => row[column as SecretColumn] ?? [])
}

/** Binds a secret to its place, so that a ciphertext copied to another row does not open there. */
function secretContext(provider: string, field: SecretField): string {
  return `${field} of the provider "${provider}"`
}

function sealSecret(secrets: Secrets, value: string | null, provider: string, field: SecretField): string | null {
  return value === null ? null : secrets.encrypt(value, secretContext(provider, field))
}

function openSecret(secrets: Secrets, value: string | null, provider: string, field: SecretField): string | null {
  return value === null ? null : secrets.decrypt(value, secretContext(provider, field))
}
