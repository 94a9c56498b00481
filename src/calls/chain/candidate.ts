import type { Adjustment } from '../../domain/adjustment.ts'
import type { ChatRequest, JsonObject } from '../../domain/chat.ts'
import type { ErrorCode } from '../../domain/errors.ts'
import { isConfigured, type ModelTraits, mergeTraits, type Provider } from '../../domain/provider.ts'
import type { ChainEntry } from '../../domain/route.ts'
import type { Snapshot } from '../../domain/snapshot.ts'
import type { FittedLimits } from '../../limits/chain-hold.ts'
import type { Family, Target, Translation } from '../../providers/family.ts'
import type { Deps } from '../deps.ts'
import { isLargerWindow } from './fallback.ts'

/** An entry that can be called: its provider is there and configured, and it can express the request. */
export interface Candidate {
  entry: ChainEntry
  position: number
  provider: Provider
  family: Family
  traits: ModelTraits
  /** The request in the family's words. */
  wire: JsonObject
  ignored: string[]
  /** What differs from the caller's request on purpose. */
  adjustments: Adjustment[]
  /** The most that it is billed at, in percent of the list price: as far as anybody knows, and what is held for. */
  expectedPercent: number
  heldPercent: number
}

/** Whether an entry can serve a request at all, whatever its circuit says. */
export type Fitness =
  | { kind: 'usable'; candidate: Candidate }
  | { kind: 'unconfigured'; reason: string }
  | { kind: 'window'; reason: string }
  | { kind: 'refused'; code: ErrorCode; message: string; reason: string }
  /** The caller's mistake: it ends the call. */
  | { kind: 'invalid'; message: string }

/** What a call knows when it comes to an entry. */
export interface Situation {
  request: ChatRequest
  chain: readonly ChainEntry[]
  snapshot: Snapshot
  /** How long the request was as it came; null when it came some other way. */
  bytes: number | null
  /** A hard budget binds the call: it must not cost more than was held, whatever the account's defaults are. */
  isStrict: boolean
  /** The prompt was too long for this window: only a larger one can help. */
  outgrown: { window: number | null } | null
  /** Sent as the limit of an answer where neither the caller nor the entry names one. */
  defaultLimit: number | null
  /** By position: the largest limit with which an entry fits into what is left of a hard budget. */
  fitted: FittedLimits
  /** What has been translated so far, by position: admission and the walk along the chain look at the same entries. */
  readonly translations: Map<number, Translation>
}

const NOTHING_FITTED: FittedLimits = new Map()

export function newSituation(
  request: ChatRequest,
  chain: readonly ChainEntry[],
  snapshot: Snapshot,
  {
    bytes = null,
    defaultLimit = null,
    isStrict = false,
  }: Partial<Pick<Situation, 'bytes' | 'defaultLimit' | 'isStrict'>> = {},
): Situation {
  const nothingYet = { outgrown: null, fitted: NOTHING_FITTED, translations: new Map() }
  return { request, chain, snapshot, bytes, defaultLimit, isStrict, ...nothingYet }
}

export type ChainDeps = Pick<Deps, 'families' | 'catalog' | 'circuits' | 'quirks' | 'pricePercents'>

/** Calls and `explain` both ask this: there is no second opinion on what an entry can do. */
export function assess(entry: ChainEntry, position: number, situation: Situation, deps: ChainDeps): Fitness {
  const { request, snapshot, outgrown } = situation
  const provider = snapshot.providers.get(entry.provider)
  const family = provider === undefined ? undefined : deps.families.get(provider.family)
  if (provider === undefined || family === undefined || !isConfigured(provider)) {
    return { kind: 'unconfigured', reason: `skipped: provider '${entry.provider}' is not configured` }
  }
  const traits = traitsOf(entry, snapshot, deps)
  if (outgrown !== null && !isLargerWindow(traits.contextWindow, outgrown.window)) {
    return { kind: 'window', reason: 'skipped: its window is not known to be larger' }
  }
  const callee = { entry, position, provider, family, traits }
  const translation = situation.translations.get(position) ?? family.toWire(request, targetOf(callee, situation, deps))
  situation.translations.set(position, translation)
  switch (translation.kind) {
    case 'invalid':
      return translation
    case 'refused':
      return { ...translation, reason: `skipped: ${translation.message}` }
    case 'wire': {
      const { body: wire, ignored, adjustments } = translation
      const percents = percentsOf(callee, wire, situation, deps)
      return { kind: 'usable', candidate: { ...callee, wire, ignored, adjustments, ...percents } }
    }
  }
}

type Callee = Pick<Candidate, 'entry' | 'position' | 'provider' | 'family' | 'traits'>

/** What a translation for this entry must know, the same wherever it is made; of limits set here the most specific. */
export function targetOf(callee: Callee, situation: Situation, { quirks, pricePercents }: ChainDeps): Target {
  const { entry, position, provider, family, traits } = callee
  const { defaultLimit, fitted, isStrict } = situation
  const bounds = { default: entry.maxOutputTokens ?? defaultLimit, most: fitted.get(position) ?? null }
  const { renames } = quirks.of(provider, entry.model)
  const target = { model: entry.model, traits, baseUrl: provider.baseUrl, bounds, renames }
  if (!isStrict || !hasDefaults(callee, quirks)) return target
  // What is held for anyway is left to the account.
  return { ...target, pins: family.pins.filter(({ percent }) => percent > pricePercents.of(provider)) }
}

/** Whether the provider's account may choose what a request leaves open: elsewhere only what was seen counts. */
function hasDefaults({ entry, provider, family }: Callee, quirks: ChainDeps['quirks']): boolean {
  let isOwn = ownServices.get(provider)
  if (isOwn === undefined) {
    isOwn = family.isOwnService(provider)
    ownServices.set(provider, isOwn)
  }
  return isOwn && !quirks.of(provider, entry.model).refusesPins
}

/** Providers are immutable values of the snapshot, so no call parses an address. */
const ownServices = new WeakMap<Provider, boolean>()

function percentsOf(callee: Callee, wire: JsonObject, { isStrict }: Situation, { quirks, pricePercents }: ChainDeps) {
  const { provider, family } = callee
  const seen = pricePercents.of(provider)
  const expectedPercent = Math.max(seen, family.mostPercent(wire, hasDefaults(callee, quirks)))
  const heldPercent = isStrict ? expectedPercent : Math.max(seen, family.mostPercent(wire, false))
  return { expectedPercent, heldPercent }
}

/** The provider's own list wins over the registry. */
export function traitsOf(entry: ChainEntry, snapshot: Snapshot, { catalog }: Pick<Deps, 'catalog'>): ModelTraits {
  const registered = snapshot.registry.get(entry.provider)?.get(entry.model)
  return mergeTraits(catalog.find(entry.provider, entry.model)?.traits, registered?.traits)
}
