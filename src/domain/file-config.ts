import { z } from 'zod'
import { ChannelDefinition } from './alerts/channel.ts'
import { RuleDefinition } from './alerts/own-rules.ts'
import { baseUrlProblem } from './base-url.ts'
import { areCertificates } from './certificates.ts'
import { GuardrailSettings } from './content/guardrail.ts'
import { ContentSettings } from './content/settings.ts'
import { AllowedModels } from './key.ts'
import { KeyLimits, Limits } from './limits.ts'
import { LoopSettings } from './loops/settings.ts'
import { IssuerDefinition, TemplateDefinition } from './people/callers-in-file.ts'
import { perClass } from './pricing/classes.ts'
import { picodollarsPerToken } from './pricing/price.ts'
import { Resale } from './pricing/resale.ts'
import { millisecondsOf, UNITS, unitsOf } from './pricing/unit-prices.ts'
import { ON_CALLER_LEFT, ON_ESTIMATE, type Provider, type ProviderKinds, SPEAKABLE } from './provider.ts'
import { proxyProblem } from './proxy-url.ts'
import { PassedPaths } from './request/passthrough.ts'
import { Alias, ProviderName, RouteSchema } from './route.ts'

/** `switchyard.yaml`, see docs/configuration.md. Unknown fields are refused, so a misspelt one is noticed. */
export const BaseUrl = z.string().superRefine((value, context) => {
  const problem = baseUrlProblem(value)
  if (problem !== null) context.addIssue({ code: 'custom', message: problem })
})

/** Header names by RFC 9110, values without line breaks. */
const Headers = z.record(
  z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'not a header name'),
  z.string().regex(/^[\t\x20-\x7e]*$/, 'a header value is visible ASCII'),
)

/** Empty: no proxy, even if the environment sets one. */
const ProxyUrl = z.string().superRefine((value, context) => {
  const problem = value === '' ? null : proxyProblem(value)
  if (problem !== null) context.addIssue({ code: 'custom', message: `${problem}; empty for none` })
})

const Certificates = z
  .string()
  .max(1_000_000)
  .refine(areCertificates, 'expected certificates in PEM form, and nothing else, such as a key')

export const ProviderDefinition = z.strictObject({
  family: z.string().min(1).optional(),
  base_url: BaseUrl.optional(),
  api_key: z
    .string()
    .regex(/^[\x21-\x7e]+$/, 'a key is visible ASCII without spaces')
    .optional(),
  headers: Headers.optional(),
  on_caller_left: z.enum(ON_CALLER_LEFT).optional(),
  on_estimate: z.enum(ON_ESTIMATE).optional(),
  speaks: z.array(z.enum(SPEAKABLE)).max(SPEAKABLE.length).optional(),
  preset: z.string().min(1).max(64).optional(),
  settings: z.record(z.string(), z.unknown()).optional(),
  credentials: z.record(z.string(), z.string().min(1)).optional(),
  proxy: ProxyUrl.optional(),
  ca: Certificates.optional(),
  passthrough: PassedPaths.optional(),
})

const Name = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'a name is 1 to 64 of letters, digits and . _ -')

export const KeyDefinition = z.strictObject({
  value: z
    .string()
    .regex(/^\S{16,}$/, 'at least 16 characters without spaces')
    .optional(),
  expires_at: z.iso.datetime({ offset: true }).optional(),
  paused: z.boolean().optional(),
  allowed_models: AllowedModels.optional(),
  limits: KeyLimits.optional(),
})

const PerMtok = z.string().superRefine((value, context) => {
  try {
    picodollarsPerToken(value)
  } catch (error) {
    context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : 'not a price' })
  }
})

const prices = perClass('price', () => PerMtok.nullish())

const Milliseconds = z.int().positive().max(86_400_000).optional()

const UnitPriceEntry = z
  .strictObject({
    name: z
      .string()
      .regex(/^[a-z0-9][a-z0-9_.:-]{0,63}$/, 'a name is 1 to 64 of small letters, digits and _ . - :')
      .describe('Of the tool, such as `web_search`, or of what the model does, such as `image:1024x1024:high`'),
    unit: z.enum(UNITS).describe('`request`: a call pays once, however often it used the tool'),
    usd_per_1000: PerMtok.describe('USD for a thousand units, at most six decimals'),
    minimum_ms: Milliseconds.describe('Of time: what a call pays at least'),
    step_ms: Milliseconds.describe('Of time: rounded up to a multiple of it'),
  })
  .refine(
    ({ unit, minimum_ms, step_ms }) => millisecondsOf(unit) !== null || (minimum_ms ?? step_ms) === undefined,
    'minimum_ms and step_ms are for units of time',
  )
  .refine(({ name, unit }) => unitsOf(name)?.includes(unit) !== false, {
    error: ({ input }) => `the unit of this name is ${unitsOf((input as { name: string }).name)?.join(' or ')}`,
    path: ['unit'],
  })

/** A missing field takes what the gateway knows of the model; null means unknown. */
export const RegistryEntry = z.strictObject({
  provider: ProviderName,
  model: z.string().min(1).max(256),
  aliases: z.array(z.string().min(1)).optional(),
  ...prices,
  tiers: z.array(z.strictObject({ prompt_tokens_above: z.int().positive(), ...prices })).optional(),
  unit_prices: z
    .array(UnitPriceEntry)
    .max(100)
    .refine((prices) => new Set(prices.map(({ name }) => name)).size === prices.length, 'a name is there twice')
    .optional()
    .describe('Prices of tools that the provider runs, and by units; left out: as shipped'),
  context_window: z.int().positive().nullish(),
  max_output_tokens: z.int().positive().nullish(),
  max_input_tokens: z.int().positive().nullish(),
  capabilities: z.array(z.string()).optional(),
  efforts: z.array(z.string()).nullish(),
  deprecated: z.boolean().optional(),
  shutdown_date: z.iso.date().nullish(),
  mode: z.string().min(1).max(64).optional(),
  note: z.string().max(1000).nullish(),
})

export const FileConfigSchema = z.strictObject({
  providers: z.record(ProviderName, ProviderDefinition).default({}),
  workspaces: z
    .record(
      Name,
      z.strictObject({
        /** Missing: the current one stays. */
        description: z.string().max(1000).optional(),
        /** For all keys of the workspace together. Missing: those set through the API stay. */
        limits: Limits.optional(),
        /** Whether its calls may stream. Missing: what was set through the API stays. */
        streaming: z.boolean().optional(),
        /** Whether what its calls say is stored, and how. Missing: what was set through the API stays. */
        content: ContentSettings.optional(),
        /** Who checks what its calls say. Missing: what was set through the API stays. */
        guardrail: GuardrailSettings.optional(),
        /** False: only routes can be called. Missing: what was set through the API stays. */
        direct_models: z.boolean().optional(),
        /** What it charges its own customers. Missing: what was set through the API stays. */
        resale: Resale.optional(),
        /** When its sessions count as loops. Missing: what was set through the API stays. */
        loops: LoopSettings.optional(),
        routes: z.record(Alias, RouteSchema).default({}),
        keys: z.record(Name, KeyDefinition).default({}),
      }),
    )
    .default({}),
  registry: z.array(RegistryEntry).default([]),
  alerts: z
    .strictObject({
      /** Built-in ones by their kind, others by a name of their own. */
      rules: z.record(Name, RuleDefinition).default({}),
      channels: z.record(Name, ChannelDefinition).default({}),
    })
    .default({ rules: {}, channels: {} }),
  /** Whose tokens are accepted in place of a gateway key. */
  token_issuers: z.record(Name, IssuerDefinition).default({}),
  /** What keys people may make for themselves. */
  key_templates: z.record(Name, TemplateDefinition).default({}),
})

export type FileConfig = z.infer<typeof FileConfigSchema>

/** A provider as the file defines it, on top of the environment's of the same name. Without a family: null. */
export function definedProvider(
  name: string,
  definition: z.infer<typeof ProviderDefinition>,
  inherited: Provider | undefined,
  kinds: ProviderKinds,
): Provider | null {
  const { preset, settings, credentials, proxy, ca, speaks, passthrough } = definition
  const family = definition.family ?? kinds.familyOf(preset === undefined ? { name } : { name, preset })
  if (family === null) return null
  const spoken = speaks ?? inherited?.speaks
  return {
    name,
    family,
    baseUrl: definition.base_url ?? inherited?.baseUrl ?? null,
    apiKey: definition.api_key ?? inherited?.apiKey ?? null,
    headers: definition.headers ?? inherited?.headers ?? {},
    onCallerLeft: definition.on_caller_left ?? kinds.onCallerLeft(family),
    ...(definition.on_estimate === undefined ? {} : { onEstimate: definition.on_estimate }),
    ...(spoken === undefined ? {} : { speaks: spoken }),
    ...(preset === undefined ? {} : { preset }),
    ...(settings === undefined ? {} : { settings }),
    ...(credentials === undefined ? {} : { credentials }),
    ...(proxy === undefined ? {} : { proxy }),
    ...(ca === undefined ? {} : { ca }),
    ...(passthrough === undefined ? {} : { passthrough }),
  }
}

/** What the schema cannot check. */
export function providerProblem(
  config: FileConfig,
  environment: readonly Provider[],
  kinds: ProviderKinds,
): string | null {
  for (const [name, definition] of Object.entries(config.providers)) {
    const inherited = environment.find((provider) => provider.name === name)
    const provider = definedProvider(name, definition, inherited, kinds)
    const problem = provider === null ? 'family: is missing' : kinds.problemOf(provider)
    if (problem !== null) return `providers.${name}.${problem}`
  }
  return null
}
