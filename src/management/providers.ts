import type { Kysely } from 'kysely'
import { coversWorkspace } from '../domain/access.ts'
import { GatewayError } from '../domain/errors.ts'
import type { Provider, ProviderKinds } from '../domain/provider.ts'
import { withoutPassword, withStoredPassword } from '../domain/proxy-url.ts'
import {
  deleteProvider,
  findProvider,
  providerFromRow,
  putProvider,
  setPricePercent,
} from '../store/control/providers.ts'
import { routesUsing } from '../store/control/routes-using.ts'
import { seedRegistry } from '../store/control/seed-registry.ts'
import { rowVendor } from '../store/control/vendor.ts'
import type { Database, ProviderRow } from '../store/engine/schema.ts'
import { timestamp } from './contract/fields.ts'
import { MASKED, type providerOperations } from './contract/providers.ts'
import { change, changeBeside, type ManagementDeps } from './deps.ts'
import { knownModels, trialView } from './provider-trial.ts'
import { decodeCursor, page } from './requests/cursor.ts'
import type { HandlersOf, OperationHandler } from './router.ts'

type Handlers = HandlersOf<typeof providerOperations>
type Put = OperationHandler<(typeof providerOperations)['providers.put']>
type Body = Parameters<Put>[0]['body']

export function providerHandlers(deps: ManagementDeps): Handlers {
  const show = (row: ProviderRow) => toProviderView(row, providerFromRow(row, deps.secrets))
  return {
    async 'providers.list'({ query }) {
      const after = decodeCursor(query.cursor, 1)
      let rows = deps.db
        .selectFrom('providers')
        .selectAll()
        .orderBy('name')
        .limit(query.limit + 1)
      if (after !== null) rows = rows.where('name', '>', String(after[0]))
      return page(await rows.execute(), query.limit, show, (row) => [row.name])
    },
    'providers.kinds': async () => kindsView(deps.providerKinds),
    'providers.put': ({ params: { name }, body }, context) =>
      change(deps, context, async (transaction) => {
        const present = await findProvider(transaction, name)
        const before = present === null ? null : show(present)
        context.checkMatch(before)
        if (present !== null) mayChange(present)
        const stored = present === null ? null : providerFromRow(present, deps.secrets)
        const changed = await putProvider(
          transaction,
          deps.secrets,
          asked(name, body, stored, deps.providerKinds),
          null,
          context.now,
        )
        // The models of a vendor that is new here.
        if (changed) await seedRegistry(transaction, context.now)
        if (present === null) context.created()
        const result = await get(transaction, name, show)
        return { result, audit: changed ? providerAuditEntry('providers.put', name, before, result) : null }
      }),
    'providers.get': ({ params }) => get(deps.db, params.name, show),
    'providers.delete': ({ params: { name } }, context) =>
      change(deps, context, async (transaction) => {
        const row = await existingProvider(transaction, name)
        const before = show(row)
        context.checkMatch(before)
        mayChange(row)
        const routes = await routesUsing(transaction, name)
        if (routes.length > 0) {
          const names = routes.map(({ workspace, alias }) => `${alias} (workspace ${workspace})`)
          throw new GatewayError('conflict', `'${name}' is used by the routes ${names.join(', ')}.`, {
            details: { routes },
          })
        }
        await deleteProvider(transaction, name)
        return { result: undefined, audit: providerAuditEntry('providers.delete', name, before, null) }
      }),
    // Also of one that the environment or the file owns: neither of them says what it charges.
    'providers.price-percent': ({ params: { name }, body }, context) =>
      change(deps, context, async (transaction) => {
        const before = show(await existingProvider(transaction, name))
        await setPricePercent(transaction, name, body.price_percent)
        const result = await get(transaction, name, show)
        const isChanged = before.price_percent !== result.price_percent
        return { result, audit: isChanged ? providerAuditEntry('providers.price-percent', name, before, result) : null }
      }),
    async 'providers.routes'({ params: { name } }, { access }) {
      await existingProvider(deps.db, name)
      const routes = await routesUsing(deps.db, name)
      return { data: routes.filter(({ workspace }) => coversWorkspace(access, workspace)) }
    },
    async 'providers.test'({ params }) {
      const provider = providerFromRow(await existingProvider(deps.db, params.name), deps.secrets)
      const { ok, latencyMs, status, models, message } = await deps.testProvider(provider)
      return { ok, latency_ms: latencyMs, status, models, message }
    },
    'providers.try': tryUnsaved(deps),
  }
}

/** What is saved later is tested as it is typed. */
function tryUnsaved(deps: ManagementDeps): Handlers['providers.try'] {
  return async ({ params: { name }, body: { model, ...body } }, context) => {
    const present = await findProvider(deps.db, name)
    if (present !== null) mayChange(present)
    const stored = present === null ? null : providerFromRow(present, deps.secrets)
    const provider = asked(name, body, stored, deps.providerKinds)
    // The request log knows the calls of keys only; this one spends money, so it is recorded before it is made.
    await changeBeside(deps, context, async () => ({
      result: null,
      audit: providerAuditEntry('providers.try', name, null, { family: provider.family, model: model ?? null }),
    }))
    return trialView(await deps.tryProvider(provider, model ?? null, knownModels(provider, deps.snapshot())))
  }
}

function kindsView(kinds: ProviderKinds) {
  return {
    families: kinds.families().map(({ isAddressKnown, credentials, onCallerLeft, ...family }) => ({
      ...family,
      settings: family.settings === null ? null : { ...family.settings },
      is_address_known: isAddressKnown,
      credentials: [...credentials],
      on_caller_left: onCallerLeft,
    })),
    presets: kinds.presets().map(({ baseUrl, ...preset }) => ({ ...preset, base_url: baseUrl })),
  }
}

/** What the body makes of the provider. What is left out and write-only, or has a default, stays as it is stored. */
function asked(name: string, body: Body, stored: Provider | null, kinds: ProviderKinds): Provider {
  const preset = kept(body.preset, stored?.preset)
  const family = body.family ?? kinds.familyOf({ name, ...given({ preset }) })
  if (family === null) throw new GatewayError('invalid_request', 'family: is missing')
  const provider: Provider = {
    name,
    family,
    baseUrl: body.base_url ?? null,
    apiKey: body.api_key === undefined ? (stored?.apiKey ?? null) : body.api_key,
    headers: filled('headers', body.headers, stored?.headers) ?? {},
    onCallerLeft: body.on_caller_left ?? stored?.onCallerLeft ?? kinds.onCallerLeft(family),
    onEstimate: body.on_estimate ?? stored?.onEstimate ?? 'estimate',
    ...given({
      speaks: kept(body.speaks, stored?.speaks),
      preset,
      settings: kept(body.settings, stored?.settings),
      credentials: filled('credentials', body.credentials, stored?.credentials),
      proxy: kept(withPassword(body.proxy, stored?.proxy), stored?.proxy),
      ca: kept(body.ca, stored?.ca),
      passthrough: kept(body.passthrough, stored?.passthrough),
    }),
  }
  const problem = kinds.problemOf(provider)
  if (problem !== null) throw new GatewayError('invalid_request', problem)
  if (stored !== null) checkSecretsStayAtHome(body, provider, stored, kinds)
  return provider
}

/** Null removes, and what is left out stays. */
function kept<T>(asked: T | null | undefined, stored: T | undefined): T | undefined {
  return asked === undefined ? stored : (asked ?? undefined)
}

/** Its password as it is stored, where the address came back as it is shown. */
function withPassword(proxy: string | null | undefined, stored: string | undefined): string | null | undefined {
  if (proxy === null || proxy === undefined) return proxy
  const whole = withStoredPassword(proxy, stored)
  if (whole !== null) return whole
  throw new GatewayError(
    'invalid_request',
    `proxy: ${MASKED} stands for the password of another address: send it again`,
  )
}

function given<T extends object>(fields: T): { [Name in keyof T]?: Exclude<T[Name], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Name in keyof T]?: Exclude<T[Name], undefined>
  }
}

/** A stored secret was meant for the server it was given for: to send it to another one, one must know it. */
function checkSecretsStayAtHome(body: Body, provider: Provider, stored: Provider, kinds: ProviderKinds): void {
  const hint = 'would go to another server: send it again, or null to remove it'
  // Who can read them on the way counts, too.
  const isSame = (of: (each: Provider) => unknown) => JSON.stringify(of(provider)) === JSON.stringify(of(stored))
  const isHome = isSame((each) => [each.family, kinds.originOf(each), each.proxy])
  if (!isHome && body.api_key === undefined && stored.apiKey !== null) {
    throw new GatewayError('invalid_request', `api_key: ${hint}`)
  }
  // Settings may name the server that takes credentials and gives out tokens.
  const isAtHome = { headers: isHome, credentials: isHome && isSame(({ settings }) => settings) }
  for (const field of ['headers', 'credentials'] as const) {
    const keepsAll = body[field] === undefined && Object.keys(stored[field] ?? {}).length > 0
    if (!isAtHome[field] && (keepsAll || Object.values(body[field] ?? {}).includes(MASKED))) {
      throw new GatewayError('invalid_request', `${field}: ${hint}`)
    }
  }
}

/** Secrets by name, the masked ones as they are stored. */
function filled(
  field: 'headers' | 'credentials',
  asked: Record<string, string> | null | undefined,
  stored: Readonly<Record<string, string>> | undefined,
): Readonly<Record<string, string>> | undefined {
  if (asked === undefined) return stored
  const entries = Object.entries(asked ?? {}).map(([name, value]): [string, string] => {
    if (value !== MASKED) return [name, value]
    const known = stored?.[name]
    if (known !== undefined) return [name, known]
    const why = `${MASKED} stands for a stored value, and none is stored`
    throw new GatewayError('invalid_request', `${field}.${name}: ${why}`)
  })
  return entries.length === 0 ? undefined : Object.fromEntries(entries)
}

/** The environment owns what it sets; a provider that it only names is anyone's to set up. */
function mayChange(row: ProviderRow): void {
  if (row.managed_by === 'config') {
    throw new GatewayError('managed_by_config', `'${row.name}' is set in switchyard.yaml; change it there.`)
  }
  if (row.managed_by === 'environment' && (row.api_key_encrypted !== null || row.base_url !== null)) {
    throw new GatewayError(
      'conflict',
      `'${row.name}' is set by environment variables; change or unset them and start again.`,
    )
  }
}

function providerAuditEntry(action: string, name: string, before: unknown, after: unknown) {
  return { action, workspace: null, resource: `providers/${name}`, before, after }
}

async function existingProvider(db: Kysely<Database>, name: string): Promise<ProviderRow> {
  const row = await findProvider(db, name)
  if (row === null) throw new GatewayError('not_found', `There is no provider '${name}'.`)
  return row
}

async function get<T>(db: Kysely<Database>, name: string, show: (row: ProviderRow) => T): Promise<T> {
  return show(await existingProvider(db, name))
}

function masked(secrets: Readonly<Record<string, string>>): Record<string, typeof MASKED> {
  return Object.fromEntries(Object.keys(secrets).map((name) => [name, MASKED] as const))
}

function toProviderView(row: ProviderRow, provider: Provider) {
  const managedBy = row.managed_by === 'builtin' ? null : row.managed_by
  return {
    name: row.name,
    family: row.family,
    base_url: row.base_url,
    has_api_key: provider.apiKey !== null,
    headers: masked(provider.headers),
    preset: provider.preset ?? null,
    settings: { ...provider.settings },
    credentials: masked(provider.credentials ?? {}),
    proxy: provider.proxy === undefined ? null : withoutPassword(provider.proxy),
    ca: provider.ca ?? null,
    passthrough: [...(provider.passthrough ?? [])],
    on_caller_left: provider.onCallerLeft,
    on_estimate: provider.onEstimate ?? 'estimate',
    speaks: provider.speaks === undefined ? null : [...provider.speaks],
    price_percent: row.price_percent,
    priced_as: rowVendor(row),
    managed_by: managedBy,
    created_at: timestamp(row.created_at),
    updated_at: timestamp(row.updated_at),
  }
}
