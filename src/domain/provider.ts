import { scrubMessage } from './errors.ts'
import type { Picodollars, Price } from './pricing/price.ts'
import { proxySecrets } from './proxy-url.ts'

/**
 * A stream whose caller has left: `abort` ends the call upstream, `drain` reads it to its end, for a provider that bills
 * the whole answer either way and so at least says what it was.
 */
export const ON_CALLER_LEFT = ['abort', 'drain'] as const
export type OnCallerLeft = (typeof ON_CALLER_LEFT)[number]
export const DEFAULT_ON_CALLER_LEFT: OnCallerLeft = 'abort'

/**
 * A call whose tokens the provider did not count to the end costs an `estimate`, or its whole `hold`: for a provider
 * that may bill more than was delivered, so that a hard budget is safe from it.
 */
export const ON_ESTIMATE = ['estimate', 'hold'] as const
export type OnEstimate = (typeof ON_ESTIMATE)[number]

/** Formats that not every provider of a family speaks: names of endpoints. */
export const SPEAKABLE = ['responses'] as const
export type Speakable = (typeof SPEAKABLE)[number]

export function isSpeakable(name: string): name is Speakable {
  return (SPEAKABLE as readonly string[]).includes(name)
}

/** A named upstream. */
export interface Provider {
  name: string
  /** Name of a row in the table of families. */
  family: string
  /** Null: the family's public address. */
  baseUrl: string | null
  apiKey: string | null
  /** Extra headers for every call, e.g. an organisation id. */
  headers: Readonly<Record<string, string>>
  onCallerLeft: OnCallerLeft
  /** Absent: `estimate`. */
  onEstimate?: OnEstimate
  /** Formats that it speaks beside chat (names of endpoints); absent: what the family knows of its address. */
  speaks?: readonly Speakable[]
  /** A row of the table of presets: what is known of a vendor that speaks the family's format. */
  preset?: string
  /** What only its family knows, e.g. a region; checked by the family's schema. */
  settings?: Readonly<Record<string, unknown>>
  /** Secrets other than one key, by the names that its family gives them. */
  credentials?: Readonly<Record<string, string>>
  /** The proxy on the way to it, in place of the environment's; an empty text: none. May hold a password. */
  proxy?: string
  /** Certificates (PEM) of the authorities it is trusted by, in place of the usual ones. */
  ca?: string
  /** Paths that callers may use as they are (request/passthrough.ts); absent: none. */
  passthrough?: readonly string[]
  /** The highest price its answers or an operator have stated, in percent of the list price; absent: the list price. */
  pricePercent?: number
}

/** A provider without any setting cannot be called. */
export function isConfigured({ apiKey, baseUrl, preset, settings, credentials }: Provider): boolean {
  return apiKey !== null || baseUrl !== null || [preset, settings, credentials].some((each) => each !== undefined)
}

/** What is known of families and presets, where a provider is set up. */
export interface ProviderKinds {
  /** The family of a provider that names none; null: it must. */
  familyOf(provider: Pick<Provider, 'name' | 'preset'>): string | null
  /** What is wrong, as `field: what would be right`; null: nothing. */
  problemOf(provider: Provider): string | null
  /** Where the operator says nothing. */
  onCallerLeft(family: string): OnCallerLeft
  /** The server that its calls go to. */
  originOf(provider: Provider): string
  /** What a call in a batch costs there, in percent of the list price; null: not known, or no batches. */
  batchPercent(provider: Provider): number | null
  /** The choices for setting one up. */
  families(): readonly FamilyKind[]
  presets(): readonly PresetKind[]
}

/** For people: the name they know it by, and what one needs or gets there. */
interface Shown {
  title: string
  hint: string
}

export interface FamilyKind extends Shown {
  name: string
  /** Its providers need no base URL of their own. */
  isAddressKnown: boolean
  /** JSON schema of its settings; null: it has none. */
  settings: Readonly<Record<string, unknown>> | null
  /** Names of its secrets beside a key. */
  credentials: readonly string[]
  /** Where the operator says nothing. */
  onCallerLeft: OnCallerLeft
}

export interface PresetKind extends Shown {
  name: string
  family: string
  /** Null: every installation has its own. */
  baseUrl: string | null
}

/** Shorter values are not secrets, and removing them would garble messages. */
const SHORTEST_SECRET = 8

const SCHEME = /^(?:Bearer|Basic|Token|ApiKey)\s+/i

/** A provider's message without our credentials: not every key looks like one. */
export function withoutSecrets(text: string, provider: Provider): string {
  let clean = text
  for (const secret of secretsOf(provider)) clean = clean.replaceAll(secret, '[redacted]')
  for (const secret of sharedSecrets) clean = clean.replaceAll(secret, '[redacted]')
  return clean
}

/** Of the process, whichever provider is called: the password of the environment's proxy. */
let sharedSecrets: readonly string[] = []

/** For threads that are started. */
export function hiddenEverywhere(): readonly string[] {
  return sharedSecrets
}

/** Every thread says it once, at its start. */
export function hideEverywhere(secrets: readonly string[]): void {
  const long = secrets.filter((secret) => secret.length >= SHORTEST_SECRET)
  sharedSecrets = [...new Set([...sharedSecrets, ...long])]
}

/** Kept for every provider object: they do not change, and every call asks. */
const SECRETS = new WeakMap<Provider, readonly string[]>()

function secretsOf(provider: Provider): readonly string[] {
  const known = SECRETS.get(provider)
  if (known !== undefined) return known
  const { apiKey, headers, credentials = {}, proxy } = provider
  const values = [apiKey ?? '', ...Object.values(headers), ...Object.values(credentials), ...proxySecrets(proxy ?? '')]
  const forms = new Set(values.flatMap((value) => [value, value.replace(SCHEME, '')]))
  const secrets = [...forms].filter((form) => form.length >= SHORTEST_SECRET)
  SECRETS.set(provider, secrets)
  return secrets
}

/** Longer than any request id, and enough for the address of a redirect. */
const LONGEST_HEADER_WORDS = 200

/** The value of a provider's header, safe to store and show: visible ASCII, without secrets, of limited length. */
export function headerWords(text: string, provider: Provider): string {
  // Many providers send none.
  if (text === '') return ''
  // In this order: hidden characters or the cut may otherwise split a secret.
  const visible = text.replace(/[^\x20-\x7e]+/g, '')
  return scrubMessage(withoutSecrets(visible, provider)).slice(0, LONGEST_HEADER_WORDS).trim()
}

/** The result of one cheap test call, written for the person who configures the provider. */
export interface ProviderTest {
  ok: boolean
  latencyMs: number
  /** Null when it did not answer. */
  status: number | null
  /** Models on the first page of its list; null without a list. */
  models: number | null
  /** Their ids; empty without a list. */
  listed: readonly string[]
  message: string
}

/** A chat model of the vendor, from the registry. */
export interface KnownModel {
  model: string
  traits: ModelTraits
  price: Price
}

/** A test that also makes one short call. */
export interface ProviderTrial extends ProviderTest {
  /** Null when no call was made, or it failed: the message says why. */
  call: { model: string; latencyMs: number; cost: Picodollars | null } | null
  /** Listed chat models with a known price, cheapest first. */
  suggested: readonly string[]
}

/** What is known of a model beyond its price; null = unknown. The provider's own model list wins over the registry. */
export interface ModelTraits {
  contextWindow: number | null
  maxOutputTokens: number | null
  /** Supported values of reasoning_effort. */
  efforts: readonly string[] | null
  /** Accepted kinds of thinking, in the provider's terms. */
  thinking: readonly string[] | null
}

export const UNKNOWN_TRAITS: ModelTraits = {
  contextWindow: null,
  maxOutputTokens: null,
  efforts: null,
  thinking: null,
}

/** A direct model id from the provider's list, read at start. */
export interface CatalogModel {
  provider: string
  id: string
  /** What a caller sends as `model`. */
  directId: string
  /** Unix seconds. */
  created: number
  traits: ModelTraits
}

/** Merges two sources; the better one wins. */
export function mergeTraits(better: ModelTraits | undefined, worse: ModelTraits | undefined): ModelTraits {
  if (better === undefined) return worse ?? UNKNOWN_TRAITS
  if (worse === undefined) return better
  return {
    contextWindow: better.contextWindow ?? worse.contextWindow,
    maxOutputTokens: better.maxOutputTokens ?? worse.maxOutputTokens,
    efforts: better.efforts ?? worse.efforts,
    thinking: better.thinking ?? worse.thinking,
  }
}
