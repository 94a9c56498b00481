import { z } from 'zod'
import { MaxOutputTokens } from './limits.ts'

/** One destination of a call: a provider and the model's id there. */
export interface ChainEntry {
  provider: string
  model: string
  timeoutMs: number
  /** The longest silence inside a stream; null: the gateway's. `timeoutMs` covers the time up to its first content. */
  idleTimeoutMs: number | null
  retries: number
  /** Output limit that is sent when the caller sends none; null: that of the key or the workspace. */
  maxOutputTokens: number | null
}

export const DEFAULT_TIMEOUT_MS = 600_000
export const DEFAULT_RETRIES = 2

export const ProviderName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, 'a provider name is lower-case letters, digits, "-" and "_", at most 64')

export const Alias = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._:/-]{0,63}$/, 'an alias is 1 to 64 of letters, digits and . _ : / -')

const TimeoutMs = z.int().min(1).max(3_600_000)

export const ChainEntrySchema = z.strictObject({
  provider: ProviderName,
  model: z.string().min(1).max(256),
  timeout_ms: TimeoutMs.optional(),
  idle_timeout_ms: TimeoutMs.optional().describe('The longest silence inside a stream'),
  retries: z.int().min(0).max(10).optional(),
  max_output_tokens: MaxOutputTokens.optional(),
})

export const RouteSchema = z.strictObject({
  description: z.string().max(1000).optional(),
  chain: z.array(ChainEntrySchema).min(1).max(10),
  interchangeable: z.boolean().optional(),
})
export type RouteDefinition = z.infer<typeof RouteSchema>

/** Why a route of embedding models is refused: vectors of two models cannot be compared. Null: it is not. */
export function mixedEmbeddings(
  { chain, interchangeable }: Pick<RouteDefinition, 'chain' | 'interchangeable'>,
  modeOf: (entry: { provider: string; model: string }) => string | undefined,
): string | null {
  const models = new Set(chain.filter((entry) => modeOf(entry) === 'embedding').map(({ model }) => model))
  if (models.size < 2 || interchangeable === true) return null
  const names = [...models].join(' and ')
  return `chain: embeddings of ${names} cannot be compared; keep one model, or set interchangeable: true if they can`
}

export interface Route {
  alias: string
  description: string | null
  chain: readonly ChainEntry[]
  /** Embeddings, too, may fall back to another of its models. */
  isInterchangeable: boolean
  createdAt: number
}

export function chainEntry(definition: z.infer<typeof ChainEntrySchema>): ChainEntry {
  return {
    provider: definition.provider,
    model: definition.model,
    timeoutMs: definition.timeout_ms ?? DEFAULT_TIMEOUT_MS,
    idleTimeoutMs: definition.idle_timeout_ms ?? null,
    retries: definition.retries ?? DEFAULT_RETRIES,
    maxOutputTokens: definition.max_output_tokens ?? null,
  }
}

/** Direct model ids go to a provider by their prefix (docs/contract.md). */
export interface PrefixRule {
  prefix: string
  provider: string
}

export interface Resolved {
  /** Null for a direct model id. */
  alias: string | null
  chain: readonly ChainEntry[]
  isInterchangeable: boolean
}

/** Some agents add to a name what they want of the model, e.g. its long context: `large-model[1m]`. */
export function withoutSuffix(model: string): string {
  return model.replace(/\[[\w-]{1,16}\]$/, '')
}

/**
 * An alias wins over a direct id of the same name, and `provider/model` over a prefix: no id with a known prefix has a
 * slash. The catalog is not consulted, so a brand-new model id works.
 */
export function resolveModel(
  model: string,
  routes: ReadonlyMap<string, Route>,
  prefixes: readonly PrefixRule[],
  providers: ReadonlyMap<string, unknown>,
): Resolved | null {
  const route = routes.get(model)
  if (route !== undefined) return { alias: route.alias, chain: route.chain, isInterchangeable: route.isInterchangeable }
  const plain = withoutSuffix(model)
  if (plain !== model) return resolveModel(plain, routes, prefixes, providers)
  const entry = namedEntry(model, providers) ?? prefixedEntry(model, prefixes)
  return entry === null ? null : { alias: null, chain: [chainEntry(entry)], isInterchangeable: false }
}

/** Names of models may have slashes, names of providers have none. */
function namedEntry(model: string, providers: ReadonlyMap<string, unknown>) {
  const slash = model.indexOf('/')
  const provider = model.slice(0, Math.max(0, slash))
  const id = model.slice(slash + 1)
  return id !== '' && providers.has(provider) ? { provider, model: id } : null
}

function prefixedEntry(model: string, prefixes: readonly PrefixRule[]) {
  const rule = prefixes.find((candidate) => model.startsWith(candidate.prefix))
  return rule === undefined ? null : { provider: rule.provider, model }
}
