import { MOST_TAGS } from '../../domain/attribution.ts'
import { GatewayError } from '../../domain/errors.ts'
import { isJsonObject, type JsonObject } from '../../domain/request/call-request.ts'
import { endOfValue, type FieldPlace, skipBlanks, topLevelFields } from '../../domain/request/json-text.ts'

/** What a body says to LiteLLM, and what is left of it for us. */
export interface LitellmBody {
  json: string
  /** Fields without an effect here. */
  ignored: string[]
  cache: 'refresh' | 'bypass' | null
  session: string | null
  /** For the tags of the row; not yet checked. Null: the body keeps its metadata, which says them. */
  tags: JsonObject | null
}

/** They would send the call, or a key, elsewhere than the operator has set. */
const REFUSED = ['api_key', 'api_base', 'base_url']
/** LiteLLM takes them out; a provider would refuse them. */
const IGNORED = [
  ...['fallbacks', 'context_window_fallbacks', 'content_policy_fallbacks', 'disable_fallbacks', 'num_retries'],
  ...['timeout', 'stream_timeout', 'guardrails', 'mock_response', 'litellm_metadata', 'litellm_trace_id', 'no-log'],
  ...['drop_params', 'additional_drop_params', 'user_config', 'caching'],
]
const READ = ['cache', 'tags', 'litellm_session_id']

interface Options {
  /** Of the path; it wins over that of the body. */
  model: string | null
  /** The format has a `metadata` of its own. */
  keepsMetadata: boolean
}

/** Null where there is nothing to change. Every other byte stays as it was; JSON that is not valid stays, too. */
export function litellmBody(json: string, { model, keepsMetadata }: Options): LitellmBody | null {
  const fields = placesIn(json)
  if (fields === null) return null
  const value = (name: string): unknown => {
    const place = fields.get(name)
    return place === undefined ? undefined : valueAt(json, place)
  }
  const refused = REFUSED.find((name) => (value(name) ?? null) !== null)
  if (refused !== undefined) {
    throw new GatewayError('invalid_request', `${refused}: the gateway decides where a call goes. Leave it out.`)
  }
  const movesMetadata = !keepsMetadata && fields.has('metadata') && value('store') !== true
  const cut = [...REFUSED, ...IGNORED, ...READ, ...(movesMetadata ? ['metadata'] : [])].filter((name) =>
    fields.has(name),
  )
  if (cut.length === 0 && model === null) return null
  const cache = cacheWish(value('cache'))
  const session = value('litellm_session_id')
  return {
    json: withModel(without(json, cut, fields), model),
    ignored: cut.filter((name) => IGNORED.includes(name) || (name === 'cache' && cache === null)),
    cache,
    session: typeof session === 'string' ? session : null,
    tags: tagsIn(movesMetadata ? value('metadata') : null, value('tags')),
  }
}

/** By name; those that are there twice are left to the check of the body. */
function placesIn(json: string): Map<string, FieldPlace> | null {
  if (json[skipBlanks(json, 0)] !== '{') return null
  try {
    const fields = new Map<string, FieldPlace>()
    for (const [name, place] of topLevelFields(json)) if (place !== null) fields.set(name, place)
    return fields
  } catch {
    return null
  }
}

function valueAt(json: string, { start }: FieldPlace): unknown {
  try {
    return JSON.parse(json.slice(start, endOfValue(json, start)))
  } catch {
    return undefined
  }
}

function without(json: string, names: readonly string[], fields: ReadonlyMap<string, FieldPlace>): string {
  const places = names.flatMap((name) => fields.get(name) ?? []).sort((a, b) => b.key - a.key)
  let text = json
  // From the end, so that the places before stay right.
  for (const { key, start } of places) {
    const before = text.slice(0, key).trimEnd()
    const after = text.slice(skipBlanks(text, endOfValue(text, start)))
    // With one of the commas around it.
    text = before.endsWith(',')
      ? before.slice(0, -1) + after
      : before + (after.startsWith(',') ? after.slice(1) : after)
  }
  return text
}

function withModel(json: string, model: string | null): string {
  if (model === null) return json
  const place = topLevelFields(json).get('model')
  if (place === null) return json
  if (place !== undefined)
    return json.slice(0, place.start) + JSON.stringify(model) + json.slice(endOfValue(json, place.start))
  const inside = skipBlanks(json, skipBlanks(json, 0) + 1)
  const comma = json[inside] === '}' ? '' : ','
  return `{"model":${JSON.stringify(model)}${comma}${json.slice(inside)}`
}

function cacheWish(cache: unknown): LitellmBody['cache'] {
  if (!isJsonObject(cache)) return null
  if (cache['no-store'] === true) return 'bypass'
  return cache['no-cache'] === true ? 'refresh' : null
}

/** Texts of the metadata, and the lists of tags in it and beside it as `tag1`, `tag2` … */
function tagsIn(metadata: unknown, listed: unknown): JsonObject | null {
  const { tags: inside, ...named } = isJsonObject(metadata) ? metadata : {}
  const list = [inside, listed].flatMap((tags) => (Array.isArray(tags) ? tags : [])).slice(0, MOST_TAGS)
  const tags = { ...named, ...Object.fromEntries(list.map((tag, place) => [`tag${place + 1}`, tag])) }
  return Object.keys(tags).length === 0 ? null : tags
}
