import type { Adjustment } from '../../../domain/request/adjustment.ts'
import { type Bounds, isCount, largestLimit } from '../../../domain/request/bounds.ts'
import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'
import type { ChatMessage, ChatRequest } from '../../../domain/request/chat.ts'
import { limitToSend } from '../../../domain/request/output-limit.ts'
import type { Target, Translation } from '../../family.ts'
import { pinned } from '../../pin.ts'
import { isLimitName, renamed, renaming } from '../../rename.ts'
import { hasLooseField } from '../free-fields.ts'
import { DEFAULT_BASE_URL } from '../target.ts'
import { fitEffort } from './efforts.ts'
import { mostTierPercent } from './tiers.ts'

const ORIGINAL_HOST = new URL(DEFAULT_BASE_URL).host

const LIMITS = ['max_tokens', 'max_completion_tokens'] as const
type LimitName = (typeof LIMITS)[number]
export const USAGE_FIELD = 'stream_options'
/** Our own extensions, which this family would reject as unknown. */
const OURS_ALONE = ['is_error', 'thinking_blocks']
export const EXTENSIONS = ['cache_control', ...OURS_ALONE]
/** Of other vendors, in what their models said and called: the vendor's own service rejects it. */
const FOREIGN = 'extra_content'

/**
 * Nearly verbatim: the upstream model id, no `stream` unless it is true, usage at the end of a stream, no extensions of
 * ours, and no call without arguments in the history. A new object for every attempt; the caller's is never changed.
 * `limitField`: the name of the output limit, where it does not follow from the address.
 */
export function toWire(request: ChatRequest, target: Target, limitField?: LimitName): Translation {
  const fields: JsonObject = { ...request, model: target.model }
  if (request.stream === true) askForUsage(fields, target)
  else delete fields['stream']
  if (target.takesMarkers === true) fields['messages'] = request.messages.map((each) => without(OURS_ALONE, each))
  else if (request.messages.some(hasExtension)) {
    fields['messages'] = request.messages.map((each) => without(EXTENSIONS, each))
  }
  if (request.messages.some(hasForeign) && isVendors(target.baseUrl)) {
    fields['messages'] = (fields['messages'] as ChatMessage[]).map(withoutForeign)
  }
  const messages = fields['messages'] as ChatMessage[]
  if (messages.some(lacksArguments)) fields['messages'] = messages.map(withArguments)
  const ignored = target.isBridged === true ? fitBridged(fields, target) : []
  const own = target.isBridged === true ? withKnownLimit(fields, target, limitField) : fields
  const adjustments = limitOutput(own, target, limitField)
  if (target.pins !== undefined) adjustments.push(...pinned(own, target.pins))
  if (target.isStrict === true && limitField === undefined) limitByBothNames(own, target, adjustments)
  const { body, applied } = renamed(own, target.renames)
  for (const rename of applied) adjustments.push(renaming(rename))
  return { kind: 'wire', body, ignored, adjustments, bounds: boundsOf(body, target) }
}

/** What a bridge writes for the vendor's own service. The names of fields that this one does not take. */
function fitBridged(fields: JsonObject, { model, baseUrl, takesCacheKey, cacheKey }: Target): string[] {
  const ignored = fitEffort(fields, model) ? ['reasoning_effort'] : []
  if (takesCacheKey ?? isVendors(baseUrl)) {
    if (cacheKey !== undefined) fields['prompt_cache_key'] ??= cacheKey
    return ignored
  }
  for (const name of CACHE_FIELDS) {
    if ((fields[name] ?? null) !== null) ignored.push(name)
    delete fields[name]
  }
  return ignored
}

/** They steer the prompt cache, and servers that do not know them may refuse them. */
const CACHE_FIELDS = ['prompt_cache_key', 'prompt_cache_retention', 'prompt_cache_options']

/** A bridge knows no servers: it uses the vendor's newest name. */
function withKnownLimit(fields: JsonObject, { baseUrl }: Target, limitField?: LimitName): JsonObject {
  return renamed(fields, [{ from: 'max_completion_tokens', to: limitField ?? limitName(baseUrl) }]).body
}

/** Without it a stream ends without a count of its tokens. */
export function askForUsage(fields: JsonObject, { omitsUsageField }: Target): void {
  const options = fields[USAGE_FIELD]
  if (omitsUsageField === true) delete fields[USAGE_FIELD]
  else if (!isJsonObject(options) || options['include_usage'] !== true) {
    fields[USAGE_FIELD] = { ...(isJsonObject(options) ? options : {}), include_usage: true }
  }
}

function boundsOf(body: JsonObject, { isStrict }: Target): Bounds {
  const isLoose = isStrict === true && (hasLooseField(body) || LIMITS.some((name) => isNoCount(body[name])))
  return {
    outputTokens: isLoose ? null : largestLimit([body['max_tokens'], body['max_completion_tokens']]),
    answers: isCount(body['n']) ? body['n'] : 1,
    namedPercent: mostTierPercent(body, false),
    accountPercent: mostTierPercent(body, true),
  }
}

/** Some servers take -1 or 0 for no limit, whatever the other name's value. */
function isNoCount(limit: unknown): boolean {
  return (limit ?? null) !== null && !isCount(limit)
}

/**
 * An unknown server may ignore the newer name of the limit, and then a hard budget would hold too little. One that
 * refuses either name teaches a rename (correction.ts).
 */
function limitByBothNames(body: JsonObject, { baseUrl, preset, pins, renames }: Target, set: Adjustment[]): void {
  const { max_tokens: older, max_completion_tokens: newer } = body
  // Where there are pins, it is the vendor's own service behind another address.
  const isKnown = isVendors(baseUrl) || preset !== undefined || pins !== undefined
  if (isKnown || !isCount(newer) || (older ?? null) !== null || renames?.some(({ from }) => isLimitName(from))) return
  body['max_tokens'] = newer
  set.push({ field: 'max_tokens', value: newer, reason: 'pinned' })
}

/** Under the caller's field name; without one, under the name that the server knows. */
export function limitOutput(
  body: JsonObject,
  { bounds, baseUrl, traits }: Target,
  limitField?: LimitName,
): Adjustment[] {
  if (bounds.default === null && bounds.most === null) return []
  const named = LIMITS.filter((name) => (body[name] ?? null) !== null)
  return (named.length > 0 ? named : [limitField ?? limitName(baseUrl)]).flatMap((field) => {
    const { tokens, reason } = limitToSend(body[field], bounds, traits.maxOutputTokens)
    if (reason === null || typeof tokens !== 'number') return []
    body[field] = tokens
    return [{ field, value: tokens, reason }]
  })
}

/**
 * The vendor's newer models no longer accept `max_tokens`. Compatible servers all know it, and many ignore the other
 * name: the answer could then have any length and exceed a hard budget.
 */
function limitName(baseUrl: string | null): LimitName {
  return isVendors(baseUrl) ? 'max_completion_tokens' : 'max_tokens'
}

/** Operators set base URLs, so there are few: each is parsed once. */
const vendors = new Map<string | null, boolean>([[null, true]])

function isVendors(baseUrl: string | null): boolean {
  let isIt = vendors.get(baseUrl)
  if (isIt === undefined) {
    isIt = new URL(baseUrl ?? '').host === ORIGINAL_HOST
    vendors.set(baseUrl, isIt)
  }
  return isIt
}

function hasForeign(message: ChatMessage): boolean {
  return Object.hasOwn(message, FOREIGN) || (message.tool_calls?.some((call) => Object.hasOwn(call, FOREIGN)) ?? false)
}

function withoutForeign({ [FOREIGN]: _, ...message }: ChatMessage): JsonObject {
  const { tool_calls: calls } = message
  return calls ? { ...message, tool_calls: calls.map(({ [FOREIGN]: _extra, ...call }) => call) } : message
}

function hasExtension(message: ChatMessage): boolean {
  if (isExtended(message)) return true
  return (
    (Array.isArray(message.content) && message.content.some(isExtended)) ||
    message.tool_calls?.some(isExtended) === true
  )
}

function isExtended(object: JsonObject): boolean {
  for (const name of EXTENSIONS) if (Object.hasOwn(object, name)) return true
  return false
}

function without(names: readonly string[], message: ChatMessage): JsonObject {
  const copy = strip(names, message)
  if (Array.isArray(message.content)) {
    copy['content'] = message.content.map((part) => (isJsonObject(part) ? strip(names, part) : part))
  }
  if (message.tool_calls) copy['tool_calls'] = message.tool_calls.map((call) => strip(names, call))
  return copy
}

function strip(names: readonly string[], object: JsonObject): JsonObject {
  const copy = { ...object }
  for (const name of names) delete copy[name]
  return copy
}

/** A model that called without arguments: this family requires some, and the call returns with every later turn. */
function lacksArguments(message: ChatMessage): boolean {
  const { tool_calls: calls, function_call: legacy } = message
  return (calls?.some((call) => isBare(call.function)) ?? false) || isBare(legacy)
}

function isBare(called: unknown): called is JsonObject {
  if (!isJsonObject(called)) return false
  const written = called['arguments'] ?? ''
  return typeof written === 'string' && written.trim() === ''
}

function withArguments(message: ChatMessage): JsonObject {
  const copy: JsonObject = { ...message }
  if (isBare(message['function_call'])) copy['function_call'] = called(message['function_call'])
  const calls = message.tool_calls
  if (calls)
    copy['tool_calls'] = calls.map((call) =>
      isBare(call.function) ? { ...call, function: called(call.function) } : call,
    )
  return copy
}

function called(bare: JsonObject): JsonObject {
  return { ...bare, arguments: '{}' }
}
