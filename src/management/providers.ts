import type { Kysely } from 'kysely'
import { GatewayError } from '../domain/errors.ts'
import { DEFAULT_ON_CALLER_LEFT, type Provider } from '../domain/provider.ts'
import {
  deleteProvider,
  findProvider,
  providerFromRow,
  putProvider,
  setPricePercent,
} from '../store/control/providers.ts'
import { routesUsing } from '../store/control/routes-using.ts'
import type { Database, ProviderRow } from '../store/engine/schema.ts'
import { timestamp } from './contract/fields.ts'
import { MASKED, type providerOperations } from './contract/providers.ts'
import { change, type ManagementDeps } from './deps.ts'
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
          asked(name, body, stored, deps.families),
          null,
          context.now,
        )
        if (present === null) context.created()
        const result = await get(transaction, name, show)
        return { result, audit: changed ? providerAuditEntry('providers.put', name, before, result) : null }
      }),
    'providers.get': ({ params }) => get(deps.db, params.name, show),
    'providers.delete': ({ params: { name } }, context) =>
      change(deps, context, async (transaction) => {
        const row = await find(transaction, name)
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
        const before = show(await find(transaction, name))
        await setPricePercent(transaction, name, body.price_percent)
        const result = await get(transaction, name, show)
        const isChanged = before.price_percent !== result.price_percent
        return { result, audit: isChanged ? providerAuditEntry('providers.price-percent', name, before, result) : null }
      }),
    async 'providers.routes'({ params: { name } }) {
      await find(deps.db, name)
      return { data: await routesUsing(deps.db, name) }
    },
    async 'providers.test'({ params }) {
      const provider = providerFromRow(await find(deps.db, params.name), deps.secrets)
      const { ok, latencyMs, status, models, message } = await deps.testProvider(provider)
      return { ok, latency_ms: latencyMs, status, models, message }
    },
  }
}

/** What the body makes of the provider. What is write-only and left out stays as it is stored. */
function asked(name: string, body: Body, stored: Provider | null, families: ManagementDeps['families']): Provider {
  if (!families.some((family) => family.name === body.family)) {
    throw new GatewayError('invalid_request', `family: one of ${families.map((family) => family.name).join(', ')}`)
  }
  const baseUrl = body.base_url ?? null
  if (baseUrl === null && !families.some((family) => family.builtin === name)) {
    throw new GatewayError('invalid_request', 'base_url: the address of the provider is missing')
  }
  if (stored !== null) checkSecretsStayAtHome(body, baseUrl, stored)
  return {
    name,
    family: body.family,
    baseUrl,
    apiKey: body.api_key === undefined ? (stored?.apiKey ?? null) : body.api_key,
    headers: body.headers === undefined ? (stored?.headers ?? {}) : unmasked(body.headers ?? {}, stored),
    onCallerLeft: body.on_caller_left ?? stored?.onCallerLeft ?? DEFAULT_ON_CALLER_LEFT,
    onEstimate: body.on_estimate ?? stored?.onEstimate ?? 'estimate',
    ...spoken(body.speaks === undefined ? stored?.speaks : body.speaks),
  }
}

function spoken(speaks: Provider['speaks'] | null): Pick<Provider, 'speaks'> {
  return speaks === null || speaks === undefined ? {} : { speaks }
}

/** A stored secret was meant for the server it was given for: to send it to another one, one must know it. */
function checkSecretsStayAtHome(body: Body, baseUrl: string | null, stored: Provider): void {
  const originOf = (url: string | null) => (url === null ? null : new URL(url).origin)
  if (originOf(baseUrl) === originOf(stored.baseUrl)) return
  const hint = 'the address is another server: send it again, or null to remove it'
  if (body.api_key === undefined && stored.apiKey !== null)
    throw new GatewayError('invalid_request', `api_key: ${hint}`)
  const keepsHeaders = body.headers === undefined && Object.keys(stored.headers).length > 0
  if (keepsHeaders || Object.values(body.headers ?? {}).includes(MASKED)) {
    throw new GatewayError('invalid_request', `headers: ${hint}`)
  }
}

function unmasked(headers: Record<string, string>, stored: Provider | null): Record<string, string> {
  const filled = Object.entries(headers).map(([name, value]): [string, string] => {
    if (value !== MASKED) return [name, value]
    const kept = stored?.headers[name]
    if (kept !== undefined) return [name, kept]
    throw new GatewayError(
      'invalid_request',
      `headers.${name}: ${MASKED} stands for a stored value, and none is stored`,
    )
  })
  return Object.fromEntries(filled)
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

async function find(db: Kysely<Database>, name: string): Promise<ProviderRow> {
  const row = await findProvider(db, name)
  if (row === null) throw new GatewayError('not_found', `There is no provider '${name}'.`)
  return row
}

async function get<T>(db: Kysely<Database>, name: string, show: (row: ProviderRow) => T): Promise<T> {
  return show(await find(db, name))
}

function toProviderView(row: ProviderRow, provider: Provider) {
  const managedBy = row.managed_by === 'builtin' ? null : row.managed_by
  return {
    name: row.name,
    family: row.family,
    base_url: row.base_url,
    has_api_key: provider.apiKey !== null,
    headers: Object.fromEntries(Object.keys(provider.headers).map((name) => [name, MASKED] as const)),
    on_caller_left: provider.onCallerLeft,
    on_estimate: provider.onEstimate ?? 'estimate',
    speaks: provider.speaks === undefined ? null : [...provider.speaks],
    price_percent: row.price_percent,
    managed_by: managedBy,
    created_at: timestamp(row.created_at),
    updated_at: timestamp(row.updated_at),
  }
}
