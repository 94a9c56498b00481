import type { Failure } from '../domain/failure.ts'
import type { CatalogModel, ModelTraits, Provider } from '../domain/provider.ts'
import type { Adjustment } from '../domain/request/adjustment.ts'
import type { Answer } from '../domain/request/answer.ts'
import type { Bounds } from '../domain/request/bounds.ts'
import type { CallRequest, EndpointName, JsonObject, Operation } from '../domain/request/call-request.ts'
import type { OutputBounds } from '../domain/request/output-limit.ts'
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
  /** Fields that the provider wants for this model under another name than the caller's. */
  renames?: readonly Rename[]
  /** To be sent along where the caller left the choice open. */
  pins?: readonly Pin[]
}

/** The request in the words of the family, or why there is none. */
export type Translation =
  /** `ignored`: hints that were dropped, named as the caller wrote them. `adjustments`: what was set here instead. */
  | { kind: 'wire'; body: JsonObject; ignored: string[]; adjustments: Adjustment[]; bounds: Bounds }
  /** This entry cannot express a field; another one may. The message names the field. */
  | { kind: 'refused'; code: 'unsupported_parameter' | 'invalid_request'; message: string }
  /** The caller's mistake: no entry could serve it. */
  | { kind: 'invalid'; message: string }

/** A 2xx body, read. */
export type Reading = { kind: 'answer'; answer: Answer } | { kind: 'failure'; failure: Failure }

/** How a family does one operation: pure translation, no I/O, no clock, no state. */
export interface Translator<Request extends CallRequest = CallRequest> {
  /** Some families have the model in the path. */
  target(provider: Provider, model: string): HttpTarget
  toWire(request: Request, target: Target): Translation
  fromWire(body: unknown, request: Request): Reading
  /** The endpoint whose bytes go out as they came, but for the model: the two speak the same wire. */
  verbatimFor?: EndpointName
}

export interface CatalogPage {
  models: Omit<CatalogModel, 'provider'>[]
  /** Pass to `modelsTarget` for the next page; null at the end. */
  next: string | null
}

/** The provider of this family that exists from the environment alone. */
export interface BuiltinProvider {
  name: string
  apiKeyVariable: string
  baseUrlVariable: string
  /** Direct model ids that begin like this go to it. */
  modelPrefixes: readonly string[]
}

export interface Family {
  builtin: BuiltinProvider
  translators: { readonly [Name in Operation]?: Translator }
  /** What a model of this name is for; null where the name does not say. */
  operationOf(model: string): Operation | null
  /** `body` is parsed JSON when it was JSON, else the text. */
  failureFromWire(status: number, body: unknown): Failure
  modelsTarget(provider: Provider, after: string | null): HttpTarget
  /** Throws a TypeError when the body is no model list at all. */
  modelsFromWire(body: unknown): CatalogPage
  /** What a hard budget sends along, where the provider is the vendor's own service. */
  pins: readonly Pin[]
  isOwnService(provider: Provider): boolean
  /** The usual mistake with its base URL, as a question to someone whose calls find nothing. */
  baseUrlHint: string
  /** Response header that carries the provider's id of the call. */
  requestIdHeader: string
}
