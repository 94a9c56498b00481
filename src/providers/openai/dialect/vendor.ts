import type { Speakable } from '../../../domain/provider.ts'
import type { JsonObject } from '../../../domain/request/call-request.ts'
import type { ProviderHints } from '../../family.ts'
import type { Completing } from '../completions/completing.ts'
import type { Reranking } from '../rerank/ranking.ts'
import type { Options } from './options.ts'

export interface Circumstances {
  /** As it is called there. */
  model: string
  /** Takes a field out of the request and reports it. */
  leaveOut(name: string): void
}

/** What is known of a vendor that speaks this family's format with an accent. */
export interface Vendor {
  /** Null: every installation has its own. */
  baseUrl: string | null
  /** Where all of this is from, and when that was read. */
  source: string
  /** A row's own options win. */
  options: Options
  /** Formats that it speaks beside chat. */
  speaks?: readonly Speakable[]
  /** Fields that it does not take and that change the answer: a request with one goes to the next entry. */
  refuses?: readonly string[]
  /** The only fields of a message that it takes. */
  messageFields?: ReadonlySet<string>
  /** Changes a copy of the request, where options cannot say how. May throw a `Rejection`. */
  request?(body: JsonObject, circumstances: Circumstances): void
  /** Makes a choice of a completion, or of a chunk, the family's own. True: it has changed. */
  choice?(choice: JsonObject): boolean
  /** A count of tokens in the family's own arithmetic. */
  usage?(usage: JsonObject): JsonObject
  /** Its limits do not count all that it bills: only the model's own limit does. */
  hasLooseLimits?: true
  /** It embeds and reranks, and has no models for chat. */
  hasNoChat?: true
  /** Its embeddings are of texts, not of tokens. */
  embedsTextOnly?: true
  /** Missing: it has no models that rerank. */
  reranks?: Reranking
  /** Missing: it completes no texts beside chats. */
  completes?: Completing
  /** It has models that make images, or also edit those that are sent in a form; missing: none. */
  draws?: 'only' | 'and-edits'
  /** It has models that classify texts, or images too; missing: none. */
  moderates?: 'texts' | 'all'
  /** It has models that transcribe. */
  transcribes?: true
  /** It has models that speak. */
  talks?: true
  /** A resource of Azure: its paths and its errors are its own. */
  isAzure?: true
  hints?: ProviderHints
  /** It takes `prompt_cache_key`. */
  takesCacheKey?: true
  /** The same as a header field. */
  cacheKeyHeader?: string
  /** It takes `cache_control` in the content of messages. */
  takesMarkers?: true
  /** Its answers and errors are the family's own, and pass as received. */
  isFaithful?: true
}
