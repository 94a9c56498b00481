import type { IncomingHttpHeaders } from 'node:http'
import type { Answer } from './answer.ts'
import type { Bill } from './bill.ts'
import type { JsonObject } from './json.ts'
import type { MediaOperation } from './media.ts'
import type { CacheRule } from './prompt-cache.ts'
import type { Ask, Tweak } from './reply.ts'
import type { Account } from './stage.ts'
import type { StreamFormat } from './stream/script.ts'

/** Why an answer is an error: a plain status, or a cause that shares its status with others. */
export type Cause =
  | number
  | 'quota'
  | 'context'
  | 'filtered'
  | 'bad-json'
  | 'bad-media-type'
  | 'unknown-scenario'
  | 'unknown-path'

export interface CauseContext {
  model: string
  method: string
  path: string
  /** The authorisation the caller sent; OpenAI echoes it, masked. */
  key: string
}

/** A path that asks a model. */
export interface Operation {
  path: string
  /** The vendor's own validation: the error answer, or null when the request is good. */
  validate(body: JsonObject, headers: IncomingHttpHeaders, account: Account): Answer | null
  lastUserText(body: JsonObject): string
  /** Missing where there is no conversation. */
  ask?(body: JsonObject): Ask
  /** The normal answer to a good request, with what a scenario changes in it. */
  answer(body: JsonObject, tweak: Tweak, chosen: { seed: number; account: Account; bill?: Bill }): JsonObject
  /** Missing where the vendor does not stream. */
  streaming?: StreamFormat
}

/** What differs between the vendors. Everything else (sockets, scripts, scenarios, recording) knows no vendor. */
export interface Family {
  name: string
  /** What the vendor's base address has behind its host. */
  basePath?: string
  operations: readonly Operation[]
  /** Forms and sounds. */
  media?: readonly MediaOperation[]
  /** The operation of a path, and what the path says beside the body. Missing: paths are those of the operations. */
  route?(url: URL): { path: string; fields: JsonObject } | null
  /** How it decides which beginnings of prompts to keep; missing: by what it has read. */
  caches?: CacheRule
  bodyLimitBytes: number
  newRequestId(): string
  /** The key the caller sent, or null. */
  keyOf(headers: IncomingHttpHeaders): string | null
  failure(cause: Cause, context: CauseContext): Answer
  /** Header rules that hold on every path, the key aside. */
  checkHeaders(headers: IncomingHttpHeaders): Answer | null
  /** Lists of models at paths of its own; null for other paths. */
  control?(url: URL): Answer | null
  listModels(query: URLSearchParams): Answer
  getModel(id: string): Answer
  /** Adds the headers (and request id) that the vendor puts on every answer. */
  complete(answer: Answer, requestId: string, elapsedMs: number): Answer
}
