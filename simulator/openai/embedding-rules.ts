import type { JsonObject } from '../json.ts'
import { inputsOf, tokensOf } from './embeddings.ts'
import { type OpenaiError, unknownModel } from './errors.ts'
import { wrongType } from './field-rules.ts'
import { embeddingModel, openaiModel } from './models.ts'

const FIELDS = new Set(['model', 'input', 'encoding_format', 'dimensions', 'user'])
const MOST_INPUTS = 2048
const MOST_TOKENS_OF_AN_INPUT = 8192
const MOST_TOKENS = 300_000

/** The first thing the vendor would complain about, or null when the request is good. */
export function problemWithEmbeddings(body: JsonObject): OpenaiError | null {
  const { model } = body
  if (model === undefined || model === null || model === '') return { message: 'you must provide a model parameter' }
  if (typeof model !== 'string') return wrongType('model', 'a string', model)
  return (
    problemWithModel(model) ??
    problemWithUnknown(body, model) ??
    problemWithInput(body['input']) ??
    problemWithEncoding(body['encoding_format']) ??
    problemWithDimensions(body['dimensions'], model) ??
    (typeof (body['user'] ?? '') === 'string' ? null : wrongType('user', 'a string', body['user'])) ??
    problemWithTokens(body, model)
  )
}

function problemWithModel(model: string): OpenaiError | null {
  if (embeddingModel(model) || isOfCompatibleServer(model)) return null
  if (!openaiModel(model)) return unknownModel(model)
  return { status: 403, message: 'You are not allowed to generate embeddings from this model' }
}

/** Scenarios, and models that other servers of this format have, such as `nomic-embed-text`. */
function isOfCompatibleServer(model: string): boolean {
  return /^text-embedding-sim-/.test(model) || (model.includes('embed') && !model.startsWith('text-embedding-'))
}

/** What compatible servers take reaches scenarios, so that a test can see unknown fields arrive. */
function problemWithUnknown(body: JsonObject, model: string): OpenaiError | null {
  if (model.includes('sim-') || isOfCompatibleServer(model)) return null
  const unknown = Object.keys(body).find((name) => !FIELDS.has(name))
  return unknown === undefined ? null : { message: `Unrecognized request argument supplied: ${unknown}` }
}

function problemWithInput(input: unknown): OpenaiError | null {
  if (Array.isArray(input) && input.length > MOST_INPUTS) {
    return {
      message: `Invalid 'input': array too long. Expected an array with maximum length ${MOST_INPUTS}, but got an array with length ${input.length} instead.`,
      param: 'input',
      code: 'array_above_max_length',
    }
  }
  if (isText(input) || isTokens(input)) return null
  const isList = Array.isArray(input) && input.length > 0 && (input.every(isText) || input.every(isTokens))
  // The vendor does not say what is wrong.
  const message =
    "'$.input' is invalid. Please check the API reference: https://platform.openai.com/docs/api-reference."
  return isList ? null : { message }
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}

function isTokens(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((token) => Number.isInteger(token) && token >= 0)
}

function problemWithEncoding(format: unknown): OpenaiError | null {
  if (format === undefined || format === null || format === 'float' || format === 'base64') return null
  if (typeof format !== 'string') return wrongType('encoding_format', 'a string', format)
  const message = `Invalid value: '${format}'. Supported values are: 'float' and 'base64'.`
  return { message, param: 'encoding_format', code: 'invalid_value' }
}

function problemWithDimensions(dimensions: unknown, model: string): OpenaiError | null {
  if (dimensions === undefined || dimensions === null) return null
  const { takesDimensions = true, dimensions: most = 4096 } = embeddingModel(model) ?? {}
  if (!takesDimensions) return { message: 'This model does not support specifying dimensions.' }
  if (!Number.isInteger(dimensions)) return wrongType('dimensions', 'an integer', dimensions)
  const count = Number(dimensions)
  if (count >= 1 && count <= most) return null
  const side = count < 1 ? 'greater than or equal to 1' : `less than or equal to ${most}`
  return { message: `Invalid value for 'dimensions' = ${count}. Must be ${side}.`, param: 'dimensions' }
}

/** Of the vendor's models; other servers cut an input that is too long, or take it. */
function problemWithTokens(body: JsonObject, model: string): OpenaiError | null {
  if (!embeddingModel(model)) return null
  const counts = inputsOf(body['input']).map(tokensOf)
  const longest = Math.max(...counts)
  if (longest > MOST_TOKENS_OF_AN_INPUT) {
    return {
      message: `This model's maximum context length is ${MOST_TOKENS_OF_AN_INPUT} tokens, however you requested ${longest} tokens (${longest} in your prompt; 0 for the completion). Please reduce your prompt; or completion length.`,
    }
  }
  const tokens = counts.reduce((sum, count) => sum + count, 0)
  if (tokens <= MOST_TOKENS) return null
  const code = 'max_tokens_per_request'
  return { message: `Requested ${tokens} tokens, max ${MOST_TOKENS} tokens per request`, type: code, code }
}
