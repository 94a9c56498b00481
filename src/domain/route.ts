import { z } from 'zod'
import { type RouteCache, RouteCacheSchema } from './cache/route-cache.ts'
import { MaxOutputTokens } from './limits.ts'
import type { JsonObject } from './request/call-request.ts'
import { UNPRINTABLE } from './wording/unprintable.ts'

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
  /** The next entry is asked, too, when this one has sent no content (of a whole answer: nothing) for so long. */
  hedgeAfterMs: number | null
  /** Fields that are sent where the caller sent none; null: none. */
  defaults: EntryDefaults | null
}

export interface EntryDefaults {
  fields: JsonObject
  /** Of their JSON: at most so many tokens more. */
  bytes: number
}

export const DEFAULT_TIMEOUT_MS = 600_000
export const DEFAULT_RETRIES = 2

export const ProviderName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, 'a provider name is lower-case letters, digits, "-" and "_", at most 64')

/** Callers send it as `model`: any text that can be typed and read. */
export const Alias = z
  .string()
  .regex(
    new RegExp(`^(?!\\s)[^*${UNPRINTABLE}]{1,256}(?<!\\s)$`),
    'an alias is 1 to 256 printable characters without "*", and no space at its ends',
  )

const TimeoutMs = z.int().min(1).max(3_600_000)

const HedgeAfterMs = TimeoutMs.optional().describe(
  'Ask the next entry, too, when there is no content after so long; the first content wins, both are paid',
)

/** What the route or the caller's content decides, or has a setting of its own. */
const NO_DEFAULTS: ReadonlySet<string> = new Set([
  ...['model', 'messages', 'input', 'stream', 'tools', 'functions'],
  ...['max_tokens', 'max_completion_tokens', 'max_output_tokens'],
])
const MOST_DEFAULT_BYTES = 8_192

const Defaults = z
  .record(z.string().min(1).max(64), z.unknown())
  .superRefine((fields, context) => {
    const wrong = Object.keys(fields).find((name) => NO_DEFAULTS.has(name))
    const instead = wrong?.startsWith('max_')
      ? 'set max_output_tokens of the entry instead'
      : 'it cannot have a default'
    if (wrong !== undefined) context.addIssue({ code: 'custom', message: instead, path: [wrong] })
    if (bytesOf(fields) > MOST_DEFAULT_BYTES) {
      context.addIssue({ code: 'custom', message: `at most ${MOST_DEFAULT_BYTES} bytes of JSON` })
    }
  })
  .describe('Fields that are sent where the caller leaves them out, e.g. temperature; the caller wins')

function bytesOf(fields: JsonObject): number {
  return new TextEncoder().encode(JSON.stringify(fields)).length
}

const entryFields = {
  provider: ProviderName,
  model: z.string().min(1).max(256),
  timeout_ms: TimeoutMs.optional(),
  idle_timeout_ms: TimeoutMs.optional().describe('The longest silence inside a stream'),
  retries: z.int().min(0).max(10).optional(),
  max_output_tokens: MaxOutputTokens.optional(),
  defaults: Defaults.optional(),
}

export const ChainEntrySchema = z.strictObject({ ...entryFields, hedge_after_ms: HedgeAfterMs })

/** How a group chooses the member that a call begins with. */
export const BALANCES = ['weighted', 'least_busy', 'fastest'] as const
export type Balance = (typeof BALANCES)[number]

const MemberSchema = z.strictObject({
  ...entryFields,
  weight: z.int().min(0).max(1000).optional().describe('Its share; default 1. 0: only when the others cannot serve'),
})

/** Entries that share one place of the chain. */
export const GroupSchema = z.strictObject({
  balance: z.enum(BALANCES).describe('How the member is chosen that a call begins with; the others follow it'),
  sticky: z.boolean().optional().describe('Calls of one session begin with the same member; default true'),
  hedge_after_ms: HedgeAfterMs,
  members: z.array(MemberSchema).min(2).max(10),
})

export const PlaceSchema = z.union([ChainEntrySchema, GroupSchema])

/** Every entry is translated for at the start of a call. */
const MOST_ENTRIES = 20

const ChainSchema = z
  .array(PlaceSchema)
  .min(1)
  .max(10)
  .superRefine((chain, context) => {
    if (definedEntries(chain).length > MOST_ENTRIES) {
      context.addIssue({ code: 'custom', message: `a chain has at most ${MOST_ENTRIES} entries, members included` })
    }
    for (const [index, place] of chain.entries()) {
      if (!('members' in place)) continue
      const names = place.members.map(({ provider, model }) => `${provider}/${model}`)
      const twin = names.findIndex((name, at) => names.indexOf(name) < at)
      const path = [index, 'members', twin]
      if (twin >= 0) context.addIssue({ code: 'custom', message: `${names[twin]} is a member already`, path })
    }
  })

/** How Codex's requests for a summary are served at entries that do not speak its format. */
export const Compaction = z.enum(['emulate', 'refuse'])

/** Whether the provider is asked to cache the prompts of requests that do not ask for it themselves. */
export const PromptCache = z.enum(['keep', 'auto'])

export const RouteSchema = z.strictObject({
  description: z.string().max(1000).optional(),
  chain: ChainSchema,
  interchangeable: z.boolean().optional(),
  compaction: Compaction.optional().describe(
    'Summaries at entries that do not speak the Responses API; default emulate',
  ),
  prompt_cache: PromptCache.optional().describe(
    '`auto`: providers that cache only what is marked are asked to cache prompts without a marker; default keep',
  ),
  cache: RouteCacheSchema.optional().describe('Same bytes, same answer, at no cost'),
  defaults: Defaults.optional(),
  shared: z.boolean().optional().describe('Every workspace without a route of this name can call it'),
})
export type RouteDefinition = z.infer<typeof RouteSchema>
type PlaceDefinition = RouteDefinition['chain'][number]

/** All entries of a chain definition, members included, with their place in it. */
export function definedEntries(chain: readonly PlaceDefinition[]) {
  return chain.flatMap((place, index) => {
    if (!('members' in place)) return [{ ...place, path: `chain[${index}]` }]
    return place.members.map((member, at) => ({ ...member, path: `chain[${index}].members[${at}]` }))
  })
}

/** Why a route of embedding models is refused: vectors of two models cannot be compared. Null: it is not. */
export function mixedEmbeddings(
  { chain, interchangeable }: Pick<RouteDefinition, 'chain' | 'interchangeable'>,
  modeOf: (entry: { provider: string; model: string }) => string | undefined,
): string | null {
  const embedding = definedEntries(chain).filter((entry) => modeOf(entry) === 'embedding')
  const models = new Set(embedding.map(({ model }) => model))
  if (models.size < 2 || interchangeable === true) return null
  const names = [...models].join(' and ')
  return `chain: embeddings of ${names} cannot be compared; keep one model, or set interchangeable: true if they can`
}

/** Entries among which a call chooses the one it begins with. */
export interface Group {
  balance: Balance
  isSticky: boolean
  members: readonly { entry: ChainEntry; weight: number }[]
}

export type Place = ChainEntry | Group

export interface Route {
  alias: string
  description: string | null
  /** Every entry, as written. */
  chain: readonly ChainEntry[]
  /** The same with its groups; null without any: then `chain` is the order of every call. */
  places: readonly Place[] | null
  /** Embeddings, too, may fall back to another of its models. */
  isInterchangeable: boolean
  /** Its translated entries make no summary of a conversation. */
  refusesCompaction?: true
  /** Prompts that mark nothing are marked for the provider's cache. */
  marksPrompts?: true
  /** Absent: no answer of it is stored. */
  cache?: RouteCache
  createdAt: number
}

export function chainEntry(
  definition: z.infer<typeof ChainEntrySchema>,
  ofRoute: JsonObject | undefined = undefined,
): ChainEntry {
  const { defaults = ofRoute } = definition
  const fields = ofRoute === undefined ? defaults : { ...ofRoute, ...defaults }
  return {
    provider: definition.provider,
    model: definition.model,
    timeoutMs: definition.timeout_ms ?? DEFAULT_TIMEOUT_MS,
    idleTimeoutMs: definition.idle_timeout_ms ?? null,
    retries: definition.retries ?? DEFAULT_RETRIES,
    maxOutputTokens: definition.max_output_tokens ?? null,
    hedgeAfterMs: definition.hedge_after_ms ?? null,
    defaults: fields === undefined ? null : { fields, bytes: bytesOf(fields) },
  }
}

/** A chain as it is written, with what is left out filled in. `ofRoute`: the route's own defaults. */
export function chainOf(definition: RouteDefinition['chain'], ofRoute?: JsonObject): Pick<Route, 'chain' | 'places'> {
  const places = definition.map((place): Place => {
    if (!('members' in place)) return chainEntry(place, ofRoute)
    const { hedge_after_ms } = place
    const members = place.members.map(({ weight = 1, ...member }) => {
      return {
        entry: chainEntry(hedge_after_ms === undefined ? member : { ...member, hedge_after_ms }, ofRoute),
        weight,
      }
    })
    return { balance: place.balance, isSticky: place.sticky ?? true, members }
  })
  const chain = places.flatMap((place) => ('members' in place ? place.members.map(({ entry }) => entry) : [place]))
  return { chain, places: chain.length === places.length ? null : places }
}

/** Direct model ids go to a provider by their prefix (docs/contract.md). */
export interface PrefixRule {
  prefix: string
  provider: string
}

export interface Resolved {
  /** Null for a direct model id. */
  alias: string | null
  /** In the order in which they are called (calls/balance.ts). */
  chain: readonly ChainEntry[]
  /** Of a route with a group. */
  places: readonly Place[] | null
  isInterchangeable: boolean
  refusesCompaction?: true
  marksPrompts?: true
  /** Of a route that stores answers. */
  cache?: RouteCache
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
  if (route !== undefined) {
    const { alias, chain, places, isInterchangeable, cache, refusesCompaction, marksPrompts } = route
    const resolved: Resolved = { alias, chain, places, isInterchangeable, ...(cache && { cache }) }
    if (refusesCompaction !== undefined) resolved.refusesCompaction = refusesCompaction
    if (marksPrompts !== undefined) resolved.marksPrompts = marksPrompts
    return resolved
  }
  const plain = withoutSuffix(model)
  if (plain !== model) return resolveModel(plain, routes, prefixes, providers)
  const entry = namedEntry(model, providers) ?? prefixedEntry(model, prefixes)
  return entry === null ? null : { alias: null, chain: [chainEntry(entry)], places: null, isInterchangeable: false }
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
