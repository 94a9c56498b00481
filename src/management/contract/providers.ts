import { z } from 'zod'
import { ProviderDefinition } from '../../domain/file-config.ts'
import { ON_CALLER_LEFT, ON_ESTIMATE, SPEAKABLE } from '../../domain/provider.ts'
import { Alias, ProviderName } from '../../domain/route.ts'
import { ManagedBy, pageOf, paging, Timestamp, WorkspaceName } from './fields.ts'
import { operation } from './operation.ts'

/** Shown instead of a header's value; sent back, it means the stored value. */
export const MASKED = '***'

const PricePercent = z.int('a whole number from 100 to 1000').min(100).max(1_000)

export const Provider = z.strictObject({
  name: ProviderName,
  family: z.string().describe('Which wire format it speaks'),
  base_url: z.string().nullable().describe('Null: the public address of its family or preset'),
  has_api_key: z.boolean(),
  headers: z.record(z.string(), z.literal(MASKED)).describe('Extra headers of every call; their values are not shown'),
  preset: z.string().nullable().describe("Vendor preset; null: only the family's format"),
  settings: z.record(z.string(), z.unknown()).describe('Settings specific to its family or preset, e.g. a region'),
  credentials: z.record(z.string(), z.literal(MASKED)).describe('Secrets other than the key, by name; never shown'),
  proxy: z.string().nullable().describe("Its own proxy, without the password; empty: none; null: the environment's"),
  ca: z.string().nullable().describe("Its own CA certificates (PEM); null: the system's CAs"),
  passthrough: z.array(z.string()).describe('Paths that callers may use as they are; empty: none'),
  on_caller_left: z
    .enum(ON_CALLER_LEFT)
    .describe('When the caller of a stream leaves: `abort` cancels it, `drain` reads it to its end'),
  on_estimate: z
    .enum(ON_ESTIMATE)
    .describe('If token usage is missing, a call costs the `estimate`, or the whole `hold`'),
  speaks: z
    .array(z.enum(SPEAKABLE))
    .nullable()
    .describe('Formats it supports besides chat; others are translated. Null: decided by its address'),
  price_percent: PricePercent.nullable().describe(
    'The most that it charges, in percent of the list price, as its answers have shown or an operator has said',
  ),
  priced_as: z
    .string()
    .nullable()
    .describe('The provider whose models and prices it uses where it has none; null: none'),
  managed_by: ManagedBy,
  created_at: Timestamp,
  updated_at: Timestamp,
})

const { base_url, api_key, headers, on_caller_left, on_estimate, speaks, preset, settings, credentials, ...way } =
  ProviderDefinition.shape
const { proxy, ca, passthrough } = way

const ProviderBody = z.strictObject({
  family: z.string().min(1).optional().describe('Wire format. Default: that of its preset'),
  base_url: base_url.nullable().describe('Required unless its family, its preset or the environment has an address'),
  api_key: api_key.nullable().describe('Write-only. Omit it to keep the stored one; null removes it'),
  headers: headers
    .nullable()
    .describe(
      `Write-only values. Left out: the stored ones stay; null: none; the value ${MASKED}: the one that is stored`,
    ),
  on_caller_left: on_caller_left.describe(
    'What happens to a stream whose caller left: `abort` ends it, `drain` reads it to its end. Left out: as it is stored',
  ),
  on_estimate: on_estimate.describe(
    'What a call costs whose tokens it did not count to the end: the `estimate`, or the whole `hold`. Left out: as it is stored',
  ),
  speaks: speaks
    .nullable()
    .describe(
      'Formats that it speaks beside chat: `responses`, or none. Null: what its family knows of its address. Left out: as it is stored',
    ),
  preset: preset.nullable().describe('Vendor preset. Null: none. Omit to keep the stored one'),
  settings: settings
    .nullable()
    .describe('Settings specific to its family, e.g. a region. Omit to keep the stored ones'),
  credentials: credentials
    .nullable()
    .describe(`Write-only. Left out: the stored ones stay; null: none; the value ${MASKED}: the one that is stored`),
  proxy: proxy.nullable().describe("Its own proxy; empty: none; null: the environment's. Omit to keep the stored one"),
  ca: ca.nullable().describe("Its own CA certificates (PEM). Null: the system's CAs. Omit to keep the stored ones"),
  passthrough: passthrough
    .nullable()
    .describe(
      'Paths that callers may use as they are, such as `/v1/files` or `/v1/files/*`. Null: none. Omit to keep the stored ones',
    ),
})

export const ProviderTest = z.strictObject({
  ok: z.boolean(),
  latency_ms: z.int(),
  status: z.int().nullable().describe('HTTP status; null when there was no answer'),
  models: z.int().nullable().describe('Models on the first page of its list'),
  message: z.string().describe('What works or what is wrong'),
})

export const ProviderTrial = ProviderTest.extend({
  call: z
    .strictObject({
      model: z.string(),
      latency_ms: z.int(),
      cost_usd: z.string().nullable().describe('Null while its price is unknown'),
    })
    .nullable()
    .describe('The call; null if there was none, or it failed'),
  suggested: z.array(z.string()).describe('Listed chat models with a known price, cheapest first'),
})

const shown = {
  title: z.string().describe('Display name'),
  hint: z.string().describe('What it offers, or needs'),
}

export const ProviderKinds = z.strictObject({
  families: z.array(
    z.strictObject({
      name: z.string(),
      ...shown,
      is_address_known: z.boolean().describe('Its providers need no base URL'),
      settings: z
        .record(z.string(), z.unknown())
        .nullable()
        .describe("JSON schema of a provider's `settings`; null: none"),
      credentials: z.array(z.string()).describe("Names of a provider's `credentials`"),
      on_caller_left: z.enum(ON_CALLER_LEFT).describe('Default'),
    }),
  ),
  presets: z.array(
    z.strictObject({
      name: z.string(),
      ...shown,
      family: z.string(),
      base_url: z.string().nullable().describe('Null: depends on the installation'),
    }),
  ),
})

const tag = 'Providers'
const one = z.strictObject({ name: ProviderName })

export const providerOperations = {
  'providers.list': operation({
    role: 'viewer',
    scope: 'shared',
    method: 'GET',
    path: '/providers',
    tag,
    summary: 'List the providers by name',
    query: z.strictObject(paging),
    reply: pageOf(Provider),
  }),
  'providers.kinds': operation({
    role: 'viewer',
    scope: 'shared',
    method: 'GET',
    path: '/provider-kinds',
    tag,
    summary: 'List the families and presets of providers, with the settings and credentials that each takes',
    reply: ProviderKinds,
  }),
  'providers.put': operation({
    role: 'admin',
    scope: 'gateway',
    method: 'PUT',
    path: '/providers/{name}',
    tag,
    summary: 'Set a provider, effective for the next call',
    params: one,
    body: ProviderBody,
    reply: Provider,
    mayCreate: true,
    hasVersion: true,
  }),
  'providers.get': operation({
    role: 'viewer',
    scope: 'shared',
    method: 'GET',
    path: '/providers/{name}',
    tag,
    summary: 'Get a provider, without its secrets',
    params: one,
    reply: Provider,
    hasVersion: true,
  }),
  'providers.delete': operation({
    role: 'admin',
    scope: 'gateway',
    method: 'DELETE',
    path: '/providers/{name}',
    tag,
    summary: 'Delete a provider; refused while a route names it',
    params: one,
    hasVersion: true,
  }),
  'providers.routes': operation({
    role: 'viewer',
    scope: 'rows',
    method: 'GET',
    path: '/providers/{name}/routes',
    tag,
    summary: 'List the routes whose chain names a provider, of all workspaces that the caller has access to',
    params: one,
    reply: z.strictObject({ data: z.array(z.strictObject({ workspace: WorkspaceName, alias: Alias })) }),
  }),
  'providers.price-percent': operation({
    role: 'admin',
    scope: 'gateway',
    method: 'PUT',
    path: '/providers/{name}/price-percent',
    tag,
    summary:
      'Say what a provider charges at most, in percent of the list price; null forgets what its answers have shown',
    params: one,
    body: z.strictObject({
      price_percent: PricePercent.nullable().describe(
        'Budgets hold for it. 100: the account has no dearer tier or region. Null: as its answers show',
      ),
    }),
    reply: Provider,
  }),
  'providers.test': operation({
    role: 'editor',
    scope: 'gateway',
    method: 'POST',
    path: '/providers/{name}/test',
    tag,
    summary: 'Test a provider by reading its model list',
    params: one,
    waitsForProvider: true,
    reply: ProviderTest,
  }),
  'providers.try': operation({
    role: 'admin',
    scope: 'gateway',
    method: 'POST',
    path: '/providers/{name}/try',
    tag,
    summary: 'Try the settings of a provider with one short call, without saving them',
    params: one,
    body: ProviderBody.extend({
      model: z.string().min(1).max(256).optional().describe('Default: the cheapest listed model with a known price'),
    }),
    waitsForProvider: true,
    reply: ProviderTrial,
  }),
}
