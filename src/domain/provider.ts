import { scrubMessage } from './errors.ts'

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
  /** The most that its answers have said it charges, in percent of the list price, or an operator; absent: the list price. */
  pricePercent?: number
}

/** A provider known only by name, with neither key nor address, cannot be called. */
export function isConfigured(provider: Provider): boolean {
  return provider.apiKey !== null || provider.baseUrl !== null
}

/** Shorter values are no secrets, and taking them out would garble messages. */
const SHORTEST_SECRET = 8

const SCHEME = /^(?:Bearer|Basic|Token|ApiKey)\s+/i

/** A provider's words without what we identify ourselves with: not every key looks like one. */
export function withoutSecrets(text: string, provider: Provider): string {
  let clean = text
  for (const secret of [provider.apiKey ?? '', ...Object.values(provider.headers)]) {
    for (const form of [secret, secret.replace(SCHEME, '')]) {
      if (form.length >= SHORTEST_SECRET) clean = clean.replaceAll(form, '[redacted]')
    }
  }
  return clean
}

/** Far beyond any request id, and enough for the address of a redirect. */
const LONGEST_HEADER_WORDS = 200

/** What a provider says in a header, to be kept and shown: visible ASCII, without secrets, not endless. */
export function headerWords(text: string, provider: Provider): string {
  // In this order: a secret may be taken apart by letters that are not shown, or by the end.
  const visible = text.replace(/[^\x20-\x7e]+/g, '')
  return scrubMessage(withoutSecrets(visible, provider)).slice(0, LONGEST_HEADER_WORDS).trim()
}

/** What one cheap call to a provider said, in words for the person who set it up. */
export interface ProviderTest {
  ok: boolean
  latencyMs: number
  /** Null when there was no answer at all. */
  status: number | null
  /** Models on the first page of its list; null when there is no list. */
  models: number | null
  message: string
}

/** What is known of a model beyond its price; null = unknown. The provider's own model list wins over the registry. */
export interface ModelTraits {
  contextWindow: number | null
  maxOutputTokens: number | null
  /** Supported values of reasoning_effort. */
  efforts: readonly string[] | null
  /** Kinds of thinking that it takes, in the provider's words. */
  thinking: readonly string[] | null
}

export const UNKNOWN_TRAITS: ModelTraits = {
  contextWindow: null,
  maxOutputTokens: null,
  efforts: null,
  thinking: null,
}

/** A direct model id as the provider's list gave it at start. */
export interface CatalogModel {
  provider: string
  id: string
  /** Unix seconds. */
  created: number
  traits: ModelTraits
}

/** Everything else first, then what the better source knows. */
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
