import { isUtf8 } from 'node:buffer'
import { GatewayError } from '../domain/errors.ts'
import { type Form, isForm, readForm } from '../domain/form/form.ts'
import { formValue } from '../domain/form/form-fields.ts'
import { type CallRequest, isJsonObject } from '../domain/request/call-request.ts'
import { checkFaithful } from '../domain/request/faithful.ts'
import { nameCount, repetition } from '../domain/request/json-names.ts'
import { worded } from '../domain/wording/worded.ts'
import type { Endpoint, FormFormat } from './endpoint.ts'

export interface ReadBody {
  request: CallRequest
  /** As received. */
  json: string
  /** The request is the received JSON itself, not a translation of it. */
  isAsReceived: boolean
}

/** Reads a received body as a request. The error carries what the request log may store of a refused body. */
export function readBody(body: Buffer, endpoint: Pick<Endpoint, 'read'>, allowsStream: boolean): ReadBody {
  let value: unknown
  try {
    const json = textOf(body)
    const names = nameCount(json)
    value = parsed(json)
    const request = endpoint.read(value, allowsStream)
    if (checkFaithful(value) !== names) throw repetition(json)
    return { request, json, isAsReceived: request === value }
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    throw new GatewayError(error.code, error.worded, { refused: { model: namedModel(value), bytes: body.length } })
  }
}

/** A received form, and the request that it is. */
export interface ReadForm {
  request: CallRequest
  form: Form
}

/** Reads a received body of an endpoint whose requests are forms. Its files stay in the memory of the body. */
export function readFormBody(
  body: Buffer,
  contentType: string,
  { form: format, read }: Pick<Endpoint, 'read'> & { form: FormFormat },
  allowsStream: boolean,
): ReadForm {
  let value: unknown
  try {
    const form = formIn(body, contentType, format)
    value = formValue(form, format)
    return { request: read(value, allowsStream), form }
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    throw new GatewayError(error.code, error.worded, { refused: { model: namedModel(value), bytes: body.length } })
  }
}

function formIn(body: Buffer, contentType: string, { ofJson }: FormFormat): Form {
  if (isForm(contentType)) return readForm(body, contentType)
  if (ofJson === undefined)
    throw new GatewayError('unsupported_media_type', worded`Send the body as multipart/form-data.`)
  return ofJson(parsed(textOf(body)))
}

/** What the texts of a form say, as JSON; of one that cannot be read nothing. Files are no content. */
export function saidIn(body: Buffer, contentType: string, format: FormFormat): Buffer {
  try {
    const texts = formIn(body, contentType, format).filter(({ filename }) => filename === null)
    return Buffer.from(JSON.stringify(formValue(texts, { files: [], lists: format.lists })))
  } catch {
    return Buffer.from('{}')
  }
}

/** A request that can be forwarded faithfully. */
export function readValue(value: unknown, endpoint: Pick<Endpoint, 'read'>, allowsStream: boolean): CallRequest {
  const request = endpoint.read(value, allowsStream)
  checkFaithful(value)
  return request
}

/** Longer than any model's name: other content is not passed around. */
const LONGEST_MODEL = 512

function namedModel(value: unknown): string | null {
  const model = isJsonObject(value) ? value['model'] : null
  return typeof model === 'string' && model !== '' ? model.slice(0, LONGEST_MODEL) : null
}

function textOf(body: Buffer): string {
  if (body.length === 0) throw new GatewayError('invalid_request', worded`The body is empty. Send a JSON object.`)
  if (!isUtf8(body)) throw new GatewayError('invalid_request', worded`The body is not valid UTF-8.`)
  return body.toString('utf8')
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    // V8's message quotes the body, and content must not reach a log.
    throw new GatewayError('invalid_request', worded`The body is not valid JSON.`)
  }
}
