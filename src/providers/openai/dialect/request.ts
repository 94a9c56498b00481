import { isCount } from '../../../domain/request/bounds.ts'
import type { JsonObject } from '../../../domain/request/call-request.ts'
import type { ChatRequest } from '../../../domain/request/chat.ts'
import { Rejection, refuse } from '../../../domain/request/rejection.ts'
import { type Worded, worded } from '../../../domain/wording/worded.ts'
import type { Target, Translation } from '../../family.ts'
import { type Rename, renaming } from '../../rename.ts'
import { toWire } from '../chat/request.ts'
import { costlyChat } from '../free-fields.ts'
import type { Dialect } from './dialect.ts'
import { fitMessages } from './messages.ts'

/** The request in the words of this server: what it does not take is left out and reported, or refused. */
export function toDialect(request: ChatRequest, target: Target, dialect: Dialect): Translation {
  try {
    return translated(request, target, dialect)
  } catch (error) {
    if (error instanceof Rejection) return error.rejected
    throw error
  }
}

function translated(request: ChatRequest, target: Target, dialect: Dialect): Translation {
  const problem = unsupported(request, dialect)
  if (problem !== null) refuse(problem)
  const { options, vendor } = dialect
  const costly = target.isStrict === true ? costlyChat(request, options.drop_params) : null
  if (costly !== null) refuse(costly)
  const ignored: string[] = []
  const body: JsonObject = { ...request }
  for (const name of vendor.refuses ?? []) delete body[name]
  const adjustments = fitFields(body, dialect, ignored).map(renaming)
  fitMessages(body, dialect, ignored)
  vendor.request?.(body, { model: target.model, leaveOut: (name) => leaveOut(body, name, ignored) })
  const there: Target = { ...target, baseUrl: target.baseUrl ?? vendor.baseUrl }
  if (options.stream_usage === 'never') there.omitsUsageField = true
  if (target.preset !== undefined) there.takesCacheKey = vendor.takesCacheKey === true
  if (vendor.takesMarkers !== undefined) there.takesMarkers = vendor.takesMarkers
  const translation = toWire(body as ChatRequest, there, options.max_tokens_field)
  if (translation.kind !== 'wire') return translation
  const bounds = vendor.hasLooseLimits === true ? { ...translation.bounds, outputTokens: null } : translation.bounds
  return {
    ...translation,
    bounds,
    ignored: [...ignored, ...translation.ignored],
    adjustments: [...adjustments, ...translation.adjustments],
  }
}

/** What changes the answer and is not to be had here. */
function unsupported(request: ChatRequest, { vendor, options: { supports = {} } }: Dialect): Worded | null {
  const refused = vendor.refuses?.find((name) => (request[name] ?? null) !== null)
  if (refused !== undefined) return worded`${refused}: ${NOT_HERE}`
  const { logprobs, top_logprobs: top, n, response_format: format } = request
  if (supports.logprobs === false && (logprobs === true || isCount(top))) return worded`logprobs: ${NOT_HERE}`
  if (supports.n === false && isCount(n) && n > 1) return worded`n: ${NOT_HERE}`
  if (supports.json_schema === false && format?.type === 'json_schema') {
    return worded`response_format: ${NOT_HERE}; json_object may be`
  }
  if (supports.images === false && request.messages.some(hasImage)) return worded`image_url: ${NOT_HERE}`
  return null
}

const NOT_HERE = worded`not supported by this provider`

function hasImage({ content }: ChatRequest['messages'][number]): boolean {
  return Array.isArray(content) && content.some(({ type }) => type === 'image_url')
}

/** Fields with another name, and those without one. Nothing is lost with a choice that is the usual one. */
export function fitFields(body: JsonObject, { options }: Dialect, ignored: string[]): Rename[] {
  const { drop_params: drops = [], supports = {} } = options
  for (const name of drops) leaveOut(body, name, ignored)
  if (supports.logprobs === false) for (const name of ['logprobs', 'top_logprobs']) delete body[name]
  if (supports.n === false) delete body['n']
  return renamesOf(options).filter(({ from, to }) => {
    if (!Object.hasOwn(body, from)) return false
    if (Object.hasOwn(body, to)) {
      leaveOut(body, from, ignored)
      return false
    }
    body[to] = body[from]
    delete body[from]
    return true
  })
}

function leaveOut(body: JsonObject, name: string, ignored: string[]): void {
  if ((body[name] ?? null) !== null) ignored.push(name)
  delete body[name]
}

function renamesOf({ rename_params: names = {}, max_tokens_field: limit }: Dialect['options']): Rename[] {
  const renames = Object.entries(names).map(([from, to]) => ({ from, to }))
  if (limit !== undefined) {
    renames.push({ from: limit === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens', to: limit })
  }
  return renames
}
