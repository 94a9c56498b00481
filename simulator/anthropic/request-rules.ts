import { isObject, type JsonObject, objectOrEmpty, objectsIn } from '../json.ts'
import { readMessageAsk } from './message.ts'
import { problemWithModel } from './model-rules.ts'
import { anthropicModel } from './models.ts'
import { betaShape, requestShape } from './request-shape.ts'
import { problemWithSchema } from './schema-rules.ts'
import { problemWithCacheMarks, problemWithTools } from './tool-rules.ts'
import { problemWithTurns } from './turn-rules.ts'

/** The version from which the sampling parameters no longer exist. */
const VERSION_WITHOUT_SAMPLING = '2026-10-21'

/**
 * The vendor's message, or null when the request is good. Betas bring fields, blocks and tools of their own at every
 * depth: with one of them only what no beta changes is checked.
 */
export function problemWithRequest(body: JsonObject, version: string, hasBetas: boolean): string | null {
  if (hasBetas) return betaShape(body, '') ?? problemWithTurns(conversation(body), version)
  return (
    requestShape(body, '') ??
    problemWithVersion(body, version) ??
    problemWithTurns(objectsIn(body['messages']), version) ??
    problemWithTools(body) ??
    problemWithCacheMarks(body) ??
    problemWithFormat(body) ??
    problemWithModel(body) ??
    problemWithLength(body)
  )
}

/** A beta allows system texts between the turns. */
function conversation(body: JsonObject): JsonObject[] {
  return objectsIn(body['messages']).filter(({ role }) => role !== 'system')
}

function problemWithVersion(body: JsonObject, version: string): string | null {
  if (version < VERSION_WITHOUT_SAMPLING) return null
  const name = ['temperature', 'top_p', 'top_k'].find((field) => body[field] !== undefined)
  return name === undefined ? null : `${name}: Extra inputs are not permitted`
}

function problemWithFormat(body: JsonObject): string | null {
  const schema = objectOrEmpty(objectOrEmpty(body['output_config'])['format'])['schema']
  return isObject(schema) ? problemWithSchema(schema, 'output_config.format.schema') : null
}

function problemWithLength(body: JsonObject): string | null {
  const model = anthropicModel(String(body['model']))
  if (!model) return null
  const { promptTokens } = readMessageAsk(body)
  const limit = Number(body['max_tokens'])
  if (promptTokens > model.window) return `prompt is too long: ${promptTokens} tokens > ${model.window} maximum`
  if (promptTokens + limit <= model.window) return null
  return `input length and \`max_tokens\` exceed context limit: ${promptTokens} + ${limit} > ${model.window}, decrease input length or \`max_tokens\` and try again`
}
