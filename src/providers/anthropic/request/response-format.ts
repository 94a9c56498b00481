import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'
import { mistake, refuse } from '../../../domain/request/rejection.ts'
import { worded } from '../../../domain/wording/worded.ts'
import { quoted } from './content-parts.ts'
import { reducedSchema } from './json-schema.ts'

const SCHEMA_PATH = 'response_format.json_schema.schema'

/** The `output_config.format` for a `response_format`; null for plain text or JSON by a tool. */
export function outputFormat(format: unknown): JsonObject | null {
  if (!isJsonObject(format)) return mistake(worded`response_format: expected an object`)
  switch (format['type']) {
    case 'text':
    case 'json_object':
      return null
    case 'json_schema':
      return { type: 'json_schema', schema: schemaOf(format['json_schema']) }
    default:
      return refuse(worded`response_format.type: ${quoted(format['type'])} is not supported by this provider`)
  }
}

function schemaOf(definition: unknown): JsonObject {
  if (!isJsonObject(definition)) return mistake(worded`response_format.json_schema: expected an object`)
  const schema = definition['schema'] ?? null
  if (schema === null) return refuse(worded`${SCHEMA_PATH}: output without a schema is not supported by this provider`)
  if (!isJsonObject(schema)) return mistake(worded`${SCHEMA_PATH}: expected an object`)
  const reduced = reducedSchema(schema, SCHEMA_PATH)
  const description = definition['description']
  const hasOwn = (schema['description'] ?? null) !== null
  if (hasOwn || typeof description !== 'string') return reduced
  const constraints = reduced['description']
  return {
    ...reduced,
    description: typeof constraints === 'string' ? `${description}\n\n${constraints}` : description,
  }
}
