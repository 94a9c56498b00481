import type { Adjustment } from '../domain/adjustment.ts'
import type { ChatRequest, JsonObject } from '../domain/chat.ts'
import type { Failure } from '../domain/failure.ts'
import type { OutputBounds } from '../domain/output-limit.ts'
import type { TokenUsage } from '../domain/pricing/usage.ts'
import type { CatalogModel, ModelTraits, Provider } from '../domain/provider.ts'
import type { HttpTarget } from '../upstream/target.ts'
import type { Pin } from './pin.ts'
import type { Rename } from './rename.ts'

/** The model at the chosen entry. */
export interface Target {
  model: string
  traits: ModelTraits
  /** Null: the family's public address. */
  baseUrl: string | null
  bounds: OutputBounds
  /** Names that the provider wants for this model otherwise than the caller wrote them. */
  renames?: readonly Rename[]
  /** To be sent along where the caller left the choice open. */
  pins?: readonly Pin[]
}

/** The caller's request in the family's words, or why there is none. */
export type Translation =
  /** `ignored`: hints that were dropped, named as the caller wrote them. `adjustments`: what was set here instead. */
  | { kind: 'wire'; body: JsonObject; ignored: string[]; adjustments: Adjustment[] }
  /** This entry cannot express a field; another one may. The message names the field. */
  | { kind: 'refused'; code: 'unsupported_parameter' | 'invalid_request'; message: string }
  /** The caller's mistake: no entry could serve it. */
  | { kind: 'invalid'; message: string }

/** A 2xx body, read. */
export type Reading = { kind: 'answer'; answer: Answer } | { kind: 'failure'; failure: Failure }

/** An answer in the common schema, but for `id` and `model`, which the gateway sets. */
export interface Answer {
  completion: JsonObject
  usage: TokenUsage
  finishReason: string | null
  /** For our log: e.g. a stop reason we do not know. */
  warning: string | null
}

export interface CatalogPage {
  models: Omit<CatalogModel, 'provider'>[]
  /** Pass to `modelsTarget` for the next page; null at the end. */
  next: string | null
}

/** The provider of this family that exists from the environment alone (design.md section 1). */
export interface BuiltinProvider {
  name: string
  apiKeyVariable: string
  baseUrlVariable: string
  /** Direct model ids that begin like this go to it. */
  modelPrefixes: readonly string[]
}

/** A family is pure translation: no I/O, no clock, no state. `call.ts` does the HTTP for all of them. */
export interface Family {
  builtin: BuiltinProvider
  chatTarget(provider: Provider): HttpTarget
  modelsTarget(provider: Provider, after: string | null): HttpTarget
  toWire(request: ChatRequest, target: Target): Translation
  /** As a rule a request goes out as it came, but for the name of the model: nobody need read the texts in it. */
  isVerbatim: boolean
  fromWire(body: unknown, request: ChatRequest): Reading
  /** `body` is parsed JSON when it was JSON, else the text. */
  failureFromWire(status: number, body: unknown): Failure
  /** Throws a TypeError when the body is no model list at all. */
  modelsFromWire(body: unknown): CatalogPage
  /** What a hard budget sends along, where the provider is the vendor's own service. */
  pins: readonly Pin[]
  isOwnService(provider: Provider): boolean
  /** The most that a request can be billed at, in percent of the list price, as far as the account's defaults can say. */
  mostPercent(wire: JsonObject, isOwnService: boolean): number
  /** The usual mistake with its base URL, as a question to someone whose calls find nothing. */
  baseUrlHint: string
  /** Response header that carries the provider's id of the call. */
  requestIdHeader: string
}
