import type { Destination } from '../../bodies/destination.ts'
import type { RequestBody } from '../../bodies/request-body.ts'
import type { ErrorCode } from '../../domain/errors.ts'
import { isConfigured, isSpeakable, type ModelTraits, mergeTraits, type Provider } from '../../domain/provider.ts'
import type { Adjustment } from '../../domain/request/adjustment.ts'
import type { Bounds } from '../../domain/request/bounds.ts'
import { promptCacheKey } from '../../domain/request/cache-key.ts'
import type { JsonObject } from '../../domain/request/call-request.ts'
import { NOTHING_OMITTED, omittedHeaders, together } from '../../domain/request/omissions.ts'
import type { OutputBounds } from '../../domain/request/output-limit.ts'
import type { Sealing } from '../../domain/request/sealing.ts'
import type { ChainEntry } from '../../domain/route.ts'
import type { Snapshot } from '../../domain/snapshot.ts'
import { type Worded, worded } from '../../domain/wording/worded.ts'
import type { Endpoint } from '../../endpoints/endpoint.ts'
import type { FittedLimits } from '../../limits/chain-hold.ts'
import type { Family, Translation, Translator } from '../../providers/family.ts'
import { translatorFor } from '../../providers/translator-for.ts'
import type { Catalog } from '../models/catalog.ts'
import type { Circuits } from './circuits.ts'
import { mismatch } from './mismatch.ts'
import type { PricePercents } from './price-percents.ts'
import type { Quirks } from './quirks.ts'
import type { SpokenFormats } from './spoken-formats.ts'
import type { Traffic } from './traffic.ts'

/** The dependencies of the steps along a chain. */
export interface ChainDeps {
  families: ReadonlyMap<string, Family>
  catalog: Catalog
  circuits: Circuits
  traffic: Traffic
  quirks: Quirks
  spoken: SpokenFormats
  pricePercents: PricePercents
  /** The first one seals (domain/request/sealing.ts). */
  sealingKeys: readonly Uint8Array[]
}

/** What applies to a call at every entry of its chain. */
export interface ChainContext {
  endpoint: Endpoint
  chain: readonly ChainEntry[]
  snapshot: Snapshot
  /** The operator declares that all models of the route give comparable answers. */
  isInterchangeable: boolean
  workspace: string
  /** That the call belongs to, as far as it says. */
  session?: string | null
  refusesCompaction?: true | undefined
  marksPrompts?: true | undefined
  /** The caller named the model itself, not a route. */
  isDirect: boolean
  /** A hard budget applies: the call must not cost more than its hold, regardless of the account's defaults. */
  isStrict: boolean
  /** Calls of the provider's tools, under a hard budget; missing: the default. */
  toolCalls?: OutputBounds
  /** Output limit that is sent when neither the caller nor the entry sets one. */
  defaultLimit: number | null
  /** Of the caller's request; missing where there is none. */
  headers?(): Iterable<readonly [name: string, value: string]>
}

interface Callee {
  entry: ChainEntry
  position: number
  provider: Provider
  family: Family
  translator: Translator
  traits: ModelTraits
  destination: Destination
}

/** An entry that can be called: its provider is configured and its family can express the request. */
export interface Candidate extends Callee {
  /** The request in the family's wire format; of a large one an outline. */
  wire: JsonObject
  ignored: string[]
  /** Deliberate differences from the caller's request. */
  adjustments: Adjustment[]
  bounds: Bounds
  /**
   * The highest known price, in percent of the list price, and the one used for the hold: under a hard budget the
   * dearest that the account may have, until an answer has told.
   */
  expectedPercent: number
  heldPercent: number
}

/** Whether an entry can serve a request at all, regardless of its circuit. */
export type Fitness =
  | { kind: 'usable'; candidate: Candidate; contextWindow: number | null }
  | { kind: 'unconfigured'; reason: string; contextWindow: number | null }
  | { kind: 'refused'; code: ErrorCode; message: Worded; reason: string; contextWindow: number | null }
  /** The caller's mistake: it ends the call. */
  | { kind: 'invalid'; message: Worded; contextWindow: number | null }

export const NOTHING_FITTED: FittedLimits = new Map()

/**
 * What each entry of the chain can do, in order. Calls and `explain` share this function. `isFinal`: there is no
 * further assessment with other limits.
 */
export function assessChain(
  body: RequestBody,
  context: ChainContext,
  deps: ChainDeps,
  fitted: FittedLimits = NOTHING_FITTED,
  isFinal = true,
): Fitness[] | Promise<Fitness[]> {
  const entries: (Callee | Fitness)[] = []
  const destinations: Destination[] = []
  for (const entry of context.chain) {
    const callee = calleeOf(entry, entries.length, context, fitted, deps)
    if ('destination' in callee) destinations.push(callee.destination)
    entries.push(callee)
  }
  const translations = body.translate(destinations, isFinal)
  if (!(translations instanceof Promise)) return judgeAll(entries, translations, context, deps)
  return translations.then((translated) => judgeAll(entries, translated, context, deps))
}

function judgeAll(
  entries: readonly (Callee | Fitness)[],
  translations: readonly Translation[],
  context: ChainContext,
  deps: ChainDeps,
): Fitness[] {
  let next = 0
  return entries.map((each) => ('destination' in each ? judge(each, translations[next++], context, deps) : each))
}

function calleeOf(
  entry: ChainEntry,
  position: number,
  context: ChainContext,
  fitted: FittedLimits,
  deps: ChainDeps,
): Callee | Fitness {
  const { snapshot, endpoint } = context
  const provider = snapshot.providers.get(entry.provider)
  const family = provider === undefined ? undefined : deps.families.get(provider.family)
  const traits = traitsOf(entry, snapshot, deps)
  const { contextWindow } = traits
  if (provider === undefined || family === undefined || !isConfigured(provider)) {
    return { kind: 'unconfigured', reason: `skipped: provider '${entry.provider}' is not configured`, contextWindow }
  }
  const foundOut = isSpeakable(endpoint.name) && provider.speaks === undefined ? deps.spoken.of(provider) : undefined
  const accent = foundOut === undefined ? provider : { ...provider, speaks: foundOut }
  const translator = translatorFor(family, endpoint, accent, entry.model)
  const message = mismatch(entry, family, translator, context) ?? NOTHING
  if (translator === undefined || message !== NOTHING) {
    const code = translator === undefined && endpoint.isOptional === true ? 'not_found' : 'invalid_request'
    return { kind: 'refused', code, message, reason: `skipped: ${message.kept}`, contextWindow }
  }
  const { quirks, pricePercents } = deps
  const { renames, refusesUsageField, omits: learnt } = quirks.of(provider, entry.model)
  const omits = together(translator.omits ?? NOTHING_OMITTED, learnt)
  // The most specific configured limit.
  const bounds = { default: entry.maxOutputTokens ?? context.defaultLimit, most: fitted.get(position) ?? null }
  const { family: name, baseUrl } = provider
  const destination: Destination = { position, family: name, model: entry.model, traits, baseUrl, bounds, renames }
  if (entry.defaults !== null) destination.defaults = entry.defaults.fields
  if (refusesUsageField) destination.omitsUsageField = true
  if (accent.speaks !== undefined) destination.speaks = accent.speaks
  if (provider.preset !== undefined) destination.preset = provider.preset
  if (provider.settings !== undefined) destination.settings = provider.settings
  if (context.isStrict) boundTools(destination, entry, context)
  if (translator.carried !== undefined) {
    destination.carried = translator.carried(context.headers?.() ?? [])
  }
  if (omits !== NOTHING_OMITTED) destination.omits = omits
  if (context.chain.length === 1) destination.isOnly = true
  if (context.refusesCompaction !== undefined) destination.refusesCompaction = true
  if (context.marksPrompts !== undefined) destination.marksPrompt = true
  if (endpoint.seals === true) destination.sealing = sealingFor(entry, context, deps)
  const hasOwnKey = endpoint.bridge === undefined || translator.isVerbatim === true
  if (!hasOwnKey || translator.cacheKeyHeader !== undefined) steerCache(destination, context, deps)
  const callee = { entry, position, provider, family, translator, traits, destination }
  if (context.isStrict && hasDefaults(callee, quirks)) {
    // What the hold covers anyway is left to the account.
    destination.pins = family.pins.filter(({ percent }) => percent > pricePercents.of(provider))
  }
  return callee
}

/** Callers of other formats have no field for it. */
function steerCache(destination: Destination, { workspace, session }: ChainContext, { sealingKeys }: ChainDeps): void {
  const key = session == null ? null : promptCacheKey(sealingKeys, { workspace, session })
  if (key !== null) destination.cacheKey = key
}

function boundTools(destination: Destination, { provider, model }: ChainEntry, context: ChainContext): void {
  destination.isStrict = true
  const units = context.snapshot.registry.get(provider)?.get(model)?.price.units
  if (units !== undefined) destination.pricedTools = [...units.keys()]
  if (context.toolCalls !== undefined) destination.toolCalls = context.toolCalls
}

/** Reasoning that one entry has made is of no use to another. */
export function sealingFor(
  { provider, model }: ChainEntry,
  { workspace }: { workspace: string },
  { sealingKeys }: Pick<ChainDeps, 'sealingKeys'>,
): Sealing {
  return { keys: sealingKeys, binding: `${provider}/${model}`, workspace }
}

const NOTHING = worded``

function judge(callee: Callee, translation: Translation | undefined, context: ChainContext, deps: ChainDeps): Fitness {
  const { contextWindow } = callee.traits
  if (translation === undefined) throw new Error('an entry was not translated for')
  switch (translation.kind) {
    case 'invalid':
      return { ...translation, contextWindow }
    case 'refused':
      return { ...translation, reason: `skipped: ${translation.message.kept}`, contextWindow }
    case 'wire': {
      const { body: wire, ignored, bounds } = translation
      const adjustments = withHeaders(translation.adjustments, callee, context)
      const { expectedPercent, heldPercent } = percentsOf(callee, bounds, context, deps)
      const { entry, position, provider, family, translator, traits, destination } = callee
      const candidate: Candidate = {
        entry,
        position,
        provider,
        family,
        translator,
        traits,
        destination,
        wire,
        ignored,
        adjustments,
        bounds,
        expectedPercent,
        heldPercent,
      }
      return { kind: 'usable', candidate, contextWindow }
    }
  }
}

/** And what header fields, which are in no body, are sent without. */
function withHeaders(adjustments: Adjustment[], callee: Callee, { headers }: ChainContext): Adjustment[] {
  const { forwarded } = callee.translator
  const { omits } = callee.destination
  if (omits === undefined || forwarded === undefined || headers === undefined) return adjustments
  return [...adjustments, ...omittedHeaders(Object.entries(forwarded(headers())), omits)]
}

/** Whether account defaults may decide what a request leaves open, and can be pinned: elsewhere answers tell. */
function hasDefaults({ entry, provider, family }: Callee, quirks: Quirks): boolean {
  let isOwn = ownServices.get(provider)
  if (isOwn === undefined) {
    isOwn = family.isOwnService(provider)
    ownServices.set(provider, isOwn)
  }
  return isOwn && !quirks.of(provider, entry.model).refusesPins
}

/** Providers are immutable values of the snapshot, so addresses are parsed once. */
const ownServices = new WeakMap<Provider, boolean>()

function percentsOf(callee: Callee, bounds: Bounds, { isStrict }: ChainContext, { quirks, pricePercents }: ChainDeps) {
  const { provider, entry } = callee
  const seen = pricePercents.of(provider)
  const { accountPercent, namedPercent } = bounds
  const expectedPercent = Math.max(seen, hasDefaults(callee, quirks) ? accountPercent : namedPercent)
  if (!isStrict) return { expectedPercent, heldPercent: Math.max(seen, namedPercent) }
  const isUntold = accountPercent > expectedPercent && pricePercents.isUntold(provider, entry.model)
  return { expectedPercent, heldPercent: isUntold ? accountPercent : expectedPercent }
}

/** The provider's own list wins over the registry. */
export function traitsOf(
  entry: Pick<ChainEntry, 'provider' | 'model'>,
  snapshot: Snapshot,
  { catalog }: Pick<ChainDeps, 'catalog'>,
): ModelTraits {
  const registered = snapshot.registry.get(entry.provider)?.get(entry.model)
  return mergeTraits(catalog.find(entry.provider, entry.model)?.traits, registered?.traits)
}
