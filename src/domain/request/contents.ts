import { z } from 'zod'
import { GatewayError } from '../errors.ts'
import { listOf } from '../list-of.ts'
import { problemOf } from '../problem-text.ts'
import { worded } from '../wording/worded.ts'
import { type CallRequest, isJsonObject, type JsonObject } from './call-request.ts'
import { fieldSchemas, hasFields, list, object } from './chat-shape.ts'

/**
 * The request of `generateContent`, as far as the gateway must understand it before it knows the provider. Every name
 * may be written in camel case or with underscores; providers read both.
 */
const FIELDS = { tools: list(object), safetySettings: list(object), generationConfig: object, toolConfig: object }

const ContentSchema = z.looseObject({ role: z.string().nullish(), parts: listOf(z.looseObject({})).nullish() })
const Contents = listOf(ContentSchema).refine((contents) => contents.length > 0, 'expected at least one content')

const shared = {
  contents: Contents,
  systemInstruction: z.unknown().optional(),
  ...fieldSchemas(FIELDS),
}

/** As callers send it: model and method are in the path. */
export const ContentsBodySchema = z.looseObject(shared)

/** With what the path says. */
export interface ContentsRequest extends JsonObject {
  model: string
  stream?: boolean
  contents: Content[]
  tools?: unknown
}

export interface Content extends JsonObject {
  role?: string | null | undefined
  parts?: JsonObject[] | null | undefined
}

/**
 * How a signature begins that this gateway made: the caller sends it back, and only the gateway can read it. Other
 * signatures are the provider's.
 */
export const OWN_SIGNATURE = 'c3d5MS'

/** Checks the shape and returns the caller's own object, not a copy: key order and unknown fields stay as sent. */
export function readContentsRequest(value: unknown, allowsStream = false): ContentsRequest {
  const request = requestFor(value)
  if (request['stream'] === true && !allowsStream) throw new GatewayError('not_implemented')
  if (!isUsual(request)) check(request, ContentsBodySchema)
  return request as ContentsRequest
}

/** What is counted: contents, or a whole request under a name of its own. */
const Whole = z.looseObject({ contents: Contents }).nullish()
export const CountContentsBodySchema = z
  .looseObject({ contents: Contents.nullish(), generateContentRequest: Whole, generate_content_request: Whole })
  .refine((body) => fieldOf(body, 'contents') !== undefined || objectField(body, WHOLE) !== null, 'expected contents')

export const WHOLE = 'generateContentRequest'

export interface CountContentsRequest extends JsonObject {
  model: string
}

export function readCountContentsRequest(value: unknown): CountContentsRequest {
  const request = requestFor(value)
  if (!isUsual(request) || fieldOf(request, WHOLE) !== undefined) check(request, CountContentsBodySchema)
  return request
}

const embedded = {
  content: ContentSchema,
  taskType: z.string().nullish(),
  title: z.string().nullish(),
  outputDimensionality: z.number().nullish(),
}

export const EmbedContentBodySchema = z.looseObject(embedded)
export const BatchEmbedContentsBodySchema = z.looseObject({
  requests: listOf(z.looseObject({ model: z.string().nullish(), ...embedded })).refine(
    (requests) => requests.length > 0,
    'expected at least one request',
  ),
})

/** One content to embed. */
export interface Embedded extends JsonObject {
  content: Content
}
export interface EmbedContentRequest extends Embedded {
  model: string
}
export interface BatchEmbedContentsRequest extends JsonObject {
  model: string
  requests: Embedded[]
}

export function readEmbedContentRequest(value: unknown): EmbedContentRequest {
  const request = requestFor(value)
  check(request, EmbedContentBodySchema)
  return request as EmbedContentRequest
}

export function readBatchEmbedContentsRequest(value: unknown): BatchEmbedContentsRequest {
  const request = requestFor(value)
  check(request, BatchEmbedContentsBodySchema)
  return request as BatchEmbedContentsRequest
}

/** The object, with the model of the path. */
function requestFor(value: unknown): CallRequest {
  if (!isJsonObject(value)) throw new GatewayError('invalid_request', worded`The body must be a JSON object.`)
  const { model } = value
  if (typeof model !== 'string' || model === '') {
    throw new GatewayError('invalid_request', worded`The path names no model: /v1beta/models/{model}:generateContent.`)
  }
  return value as CallRequest
}

function check(request: JsonObject, schema: z.ZodType): void {
  const parsed = schema.safeParse(request)
  if (!parsed.success) throw new GatewayError('invalid_request', problemOf(parsed.error))
}

const CHECKED = new Map(Object.entries(FIELDS))

/** Accepts common requests quickly; all others go to the schema. */
function isUsual(request: JsonObject): boolean {
  const { contents } = request
  return Array.isArray(contents) && contents.length > 0 && contents.every(isContent) && hasFields(request, CHECKED)
}

function isContent(value: unknown): boolean {
  if (!isJsonObject(value)) return false
  const { role, parts } = value
  if (typeof (role ?? '') !== 'string') return false
  return (parts ?? null) === null || (Array.isArray(parts) && parts.every(isJsonObject))
}

/** A field in either spelling. */
export function fieldOf(object: JsonObject, name: string): unknown {
  const value = object[name]
  if (value !== undefined && value !== null) return value
  return object[underscored(name)]
}

const spelled = new Map<string, string>()

/** Of our own names only, so there are few. */
function underscored(name: string): string {
  let other = spelled.get(name)
  if (other === undefined) {
    other = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    spelled.set(name, other)
  }
  return other
}

export function objectField(object: JsonObject, name: string): JsonObject | null {
  const value = fieldOf(object, name)
  return isJsonObject(value) ? value : null
}

export function textField(object: JsonObject, name: string): string | null {
  const value = fieldOf(object, name)
  return typeof value === 'string' && value !== '' ? value : null
}

/** The parts of each content, in order. */
export function* partsOf(contents: readonly Content[]): Iterable<JsonObject> {
  for (const { parts } of contents) if (parts !== null && parts !== undefined) yield* parts
}
