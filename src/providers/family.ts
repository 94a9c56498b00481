import type { z } from 'zod'
import type { Failure } from '../domain/failure.ts'
import type { CatalogModel, ModelTraits, OnCallerLeft, Provider, Speakable } from '../domain/provider.ts'
import type { Adjustment } from '../domain/request/adjustment.ts'
import type { Answer } from '../domain/request/answer.ts'
import type { Bounds } from '../domain/request/bounds.ts'
import type { CallRequest, EndpointName, JsonObject, Operation } from '../domain/request/call-request.ts'
import type { Omissions } from '../domain/request/omissions.ts'
import type { OutputBounds } from '../domain/request/output-limit.ts'
import type { Rejected } from '../domain/request/rejection.ts'
import type { Sealing } from '../domain/request/sealing.ts'
import type { StreamPart, StreamReader } from '../domain/request/stream.ts'
import type { Framing } from '../upstream/event-framing.ts'
import type { HttpTarget } from '../upstream/target.ts'
import type { Authorization } from './authorization.ts'
import type { Pin } from './pin.ts'
import type { Rename } from './rename.ts'

/** A header field of an answer, by its name in lower case. */
export type ResponseHeader = (name: string) => string | undefined

/** The model at the chosen entry. */
export interface Target {
  model: string
  traits: ModelTraits
  /** Null: the family's public address. */
  baseUrl: string | null
  bounds: OutputBounds
  /** Fields that the provider requires under another name for this model. */
  renames?: readonly Rename[]
  /** Added where the caller left the choice open. */
  pins?: readonly Pin[]
  /** The provider refuses `usageField`. */
  omitsUsageField?: boolean
  /** A hard budget applies: nothing may be used whose price is unknown. */
  isStrict?: boolean
  /** Under a hard budget: the tools of the provider that have a price, and the calls allowed (as output limits are). */
  pricedTools?: readonly string[]
  toolCalls?: OutputBounds
  /** The request was translated from another format: the names of its fields are not the caller's choice. */
  isBridged?: boolean
  /** Of a request that is translated: what steers its session to where its prompt is cached. */
  cacheKey?: string
  /** Whether the server is known to take fields that steer its prompt cache; missing: only the vendor's own does. */
  takesCacheKey?: boolean
  /** It takes markers of what to cache, in the content of messages. */
  takesMarkers?: true
  /** As the provider's. */
  speaks?: readonly Speakable[]
  preset?: string
  settings?: NonNullable<Provider['settings']>
  /** Of an endpoint that seals reasoning. */
  sealing?: Sealing
  /** The route makes no summary of a conversation. */
  refusesCompaction?: true
  /** The route marks what to cache in prompts that mark nothing. */
  marksPrompt?: true
  /** What the body carries of the caller's header fields (`Translator.carried`). */
  carried?: Readonly<Record<string, string>>
  /** Values of lists are left out by the translator, fields after it. */
  omits?: Omissions
  /** The only entry of its chain: what the provider keeps between calls is there again. */
  isOnly?: boolean
}

/** The request in the family's wire format, or why there is none. */
export type Translation =
  /** `ignored`: dropped hints, named as the caller wrote them. `adjustments`: what the gateway set instead. */
  { kind: 'wire'; body: JsonObject; ignored: string[]; adjustments: Adjustment[]; bounds: Bounds } | Rejected

/** A 2xx body, read. */
export type Reading = { kind: 'answer'; answer: Answer } | { kind: 'failure'; failure: Failure }

/** How a family serves one format: pure translation, no I/O, no clock, no state. */
export interface Translator<Request extends CallRequest = CallRequest> {
  /** Some families have the model in the path, or another path for streams. */
  target(provider: Provider, model: string, isStream?: boolean): HttpTarget
  /** The address depends on the model, or on whether the answer streams. */
  namesModel?: boolean
  toWire(request: Request, target: Target): Translation
  /** `asked`: the model at the provider. */
  fromWire(body: unknown, request: Request, asked?: string): Reading
  /** The answer to this request is a text and no JSON; missing: there are none. */
  textOf?(text: string, request: Request): Answer | null
  /** Bytes pass unchanged except for the model: the format is the family's own. */
  isVerbatim?: true
  /** Its answers are verbatim, but errors have the provider's own format. */
  hasForeignErrors?: true
  /** Which providers of the family speak the format; missing: all. The others are reached through the bridge. */
  isSpokenBy?(provider: Accent): boolean
  /** Nothing says whether this one speaks it: its answer to a request without fields does. */
  isFoundOut?(provider: Accent): boolean
  /** Its requests keep markers of what to cache, in the content of messages. */
  takesMarkers?: true
  /**
   * The body with what asks the provider to cache its prompt. Null: there is nothing to do, because the body has markers
   * of its own or its model needs none. Missing: the provider needs no markers, or caches nothing.
   */
  markPrompt?(body: JsonObject, model: string): { body: JsonObject; field: string } | null
  /** Header fields of the caller's request that go to the provider, beside those of `target`. */
  forwarded?(headers: Iterable<readonly [name: string, value: string]>): Record<string, string>
  /** Header fields of the caller's request whose place at this provider is the body: `toWire` finds them in its target. */
  carried?(headers: Iterable<readonly [name: string, value: string]>): Record<string, string>
  /** A header field that keeps the calls of a session where their prompt is cached. */
  cacheKeyHeader?: string
  /** What its providers are known not to take. */
  omits?: Omissions
  /** Paths of fields that a call can do without: one that a provider refuses as unknown is left out. */
  spares?: readonly string[]
  /** Missing: this format has no streams. */
  stream?: StreamTranslator<Request>
}

/** How a family reads streamed answers. */
export interface StreamTranslator<Request extends CallRequest = CallRequest> {
  /** How events are framed in the bytes; missing: server-sent events. */
  framing?: Framing
  /** Of answers that are no events; missing: there are none. */
  bytes?: Framing
  /** For one stream. `asked`: the model at the provider. */
  open(request: Request, asked?: string): StreamReader
  /** A whole answer from a server that ignored `stream: true`. */
  partsOf(answer: Answer, request: Request): StreamPart[]
  /** Asks for usage at the end of a stream; left out where a provider refuses it. */
  usageField?: string
}

export interface CatalogPage {
  models: Omit<CatalogModel, 'provider' | 'directId'>[]
  /** Pass to `modelsTarget` for the next page; null at the end. */
  next: string | null
}

/** The provider of this family that exists from the environment alone. */
export interface BuiltinProvider {
  name: string
  apiKeyVariable: string
  baseUrlVariable: string
  /** `responses` or `chat`: what its address speaks. Missing: its family has one format. */
  speaksVariable?: string
  /** Direct model ids with this prefix go to it. */
  modelPrefixes: readonly string[]
}

/** What of a provider may decide on its translators. */
export type Accent = Pick<Provider, 'baseUrl' | 'speaks' | 'preset' | 'settings'>

export type Translators = { readonly [Name in EndpointName]?: Translator }

/** Sentences for an operator who sets up a provider. */
export interface ProviderHints {
  /** A question about the base URL. */
  address: string
  /** What to know about the models that it lists. */
  list: string
}

export interface Family {
  /** In OpenTelemetry's conventions, where they have another name for it. */
  conventionName?: string
  /** Missing: its providers are set up by hand. */
  builtin?: BuiltinProvider
  /** Its providers need no base URL: the address follows from the settings, or is always the same. */
  isAddressKnown?: true
  /** Settings of its providers beside key and address. Missing: it has none. */
  settings?: z.ZodType
  /** Names of the secrets that its providers may have beside a key. */
  credentials?: readonly string[]
  /** What the schema of the settings cannot say, as `field: what would be right`. */
  problemOf?(provider: Provider): string | null
  /** How its providers know who calls, where a key in a header is not enough. */
  authorization?: Authorization
  /** What is best for a stream whose caller has left, where the operator says nothing. */
  onCallerLeft?: OnCallerLeft
  /** Whether a call that failed with this status, and this code of the provider, may be billed; undefined: as usual. */
  billsFailure?(status: number, code: string | null): boolean | undefined
  /** By the formats that it speaks. Others reach it through `chat`, by the bridge of their endpoint. */
  translators: Translators
  /** In place of `translators`, where the model or the provider's own settings decide how the format is spoken. */
  translatorsFor?(model: string, provider: Accent): Translators
  /** The operation that a model of this name serves; null where the name does not say. */
  operationOf(model: string): Operation | null
  /** Models that chat and make images, whichever of the two they are listed for; missing: none. */
  drawsInChat?(model: string): boolean
  /** `body` is parsed JSON, or the text if it was not JSON. */
  failureFromWire(status: number, body: unknown, header?: ResponseHeader): Failure
  /** Header fields of an answer that `failureFromWire` reads. */
  failureHeaders?: readonly string[]
  modelsTarget(provider: Provider, after: string | null): HttpTarget
  /** Its models are listed as `provider/model`; missing: only those that the family's prefixes reach. */
  isListed?(provider: Provider): boolean
  /** Throws a TypeError when the body is not a model list. */
  modelsFromWire(body: unknown): CatalogPage
  /** What a hard budget adds, where the provider is the vendor's own service. */
  pins: readonly Pin[]
  isOwnService(provider: Provider): boolean
  /** What a call in a batch costs at the vendor's own service, in percent of the list price; missing: not known. */
  batchPercent?: number
  /** The usual mistake in its base URL, as a question for someone whose calls get 404. */
  baseUrlHint: string
  /** The same where it depends on the provider, and what its list of models does not say; null: nothing special. */
  hintsFor?(provider: Provider): ProviderHints | null
  /** Request header in which clients of its own API name the version. */
  versionHeader?: string
  /** Response header that carries the provider's id of the call. */
  requestIdHeader: string
  /** Read where it is missing. */
  otherRequestIdHeaders?: readonly string[]
}
