import type { CallRequest, JsonObject } from '../domain/request/call-request.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'

/** More than any schema has. */
const MOST_FIELDS = 200
/** Longer texts are prompts; names and choices are shorter. */
const LONGEST_TEXT = 1_000

/**
 * A request as the serving thread knows it: every field, but lists are cut to one item, objects to their type and their
 * flags, texts to their beginning. It shows what is present at almost no size.
 */
export function outlineOf<Request extends JsonObject>(request: Request): Request {
  const model = 'model' in request ? { model: request['model'] } : {}
  return { ...firstOf(request, () => true, cut), ...model } as Request
}

/** With what the endpoint needs for its answer. */
export function outlineFor(endpoint: Pick<Endpoint, 'outline'>, request: CallRequest): CallRequest {
  const outline = outlineOf(request)
  return endpoint.outline === undefined ? outline : { ...outline, ...endpoint.outline(request) }
}

function cut(value: unknown): unknown {
  if (typeof value === 'string') return value.slice(0, LONGEST_TEXT)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.slice(0, 1).map(cut)
  const flags = firstOf(value as JsonObject, (each) => typeof each === 'boolean')
  return { ...('type' in value ? { type: cut(value.type) } : {}), ...flags }
}

/** A list of all fields would cost more than parsing them. */
function firstOf(object: JsonObject, isMeant: (value: unknown) => boolean, change = (value: unknown) => value) {
  const fields: [string, unknown][] = []
  for (const name in object) {
    if (fields.length === MOST_FIELDS) break
    const value = object[name]
    if (isMeant(value)) fields.push([name, change(value)])
  }
  return Object.fromEntries(fields)
}
