import type { Adjustment } from '../../../domain/request/adjustment.ts'
import { type Bounds, largestLimit } from '../../../domain/request/bounds.ts'
import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'
import type { MessagesRequest } from '../../../domain/request/messages.ts'
import { limitToSend } from '../../../domain/request/output-limit.ts'
import { type Worded, worded } from '../../../domain/wording/worded.ts'
import type { Target, Translation } from '../../family.ts'
import { pinned } from '../../pin.ts'
import { renamed, renaming } from '../../rename.ts'
import { namedPercents, REGION } from '../account-defaults.ts'
import { takesRegion } from '../models.ts'
import { withoutUnsigned } from './foreign-thinking.ts'
import { boundTools, unboundedUse } from './server-tools.ts'

/** The least that the API takes as a budget of thinking. */
const LEAST_THINKING = 1024

/**
 * The caller's own request with another model. Deeper values stay the same objects, so that the received bytes can be
 * sent; where a hard budget applies, limits and the fields that fix a price are set beside them.
 */
export function toWire(request: MessagesRequest, target: Target): Translation {
  const open = target.isStrict === true ? unboundedUse(request) : null
  if (open !== null) return refused(worded`${open}: a hard budget applies, and nothing bounds what this costs`)
  const fields: JsonObject = { ...request, model: target.model }
  const messages = withoutUnsigned(request.messages)
  if (messages !== request.messages) fields['messages'] = messages
  const limits = limitOutput(fields, target)
  if (limits === null) return refused(worded`max_tokens: the budget leaves too few tokens to think`)
  const tools = target.isStrict === true ? boundTools(fields, target) : null
  if (tools !== null && !('adjustments' in tools)) return refused(tools)
  const pins = (target.pins ?? []).filter(({ field }) => field !== REGION.field || takesRegion(target))
  const adjustments = [...limits, ...pinned(fields, pins), ...(tools?.adjustments ?? [])]
  const { body, applied } = renamed(fields, target.renames)
  const bounds: Bounds = { outputTokens: largestLimit([body['max_tokens']]), answers: 1, ...namedPercents(body) }
  if (tools !== null && tools.bounds !== null) bounds.tools = tools.bounds
  return { kind: 'wire', body, ignored: [], adjustments: [...adjustments, ...applied.map(renaming)], bounds }
}

function refused(message: Worded): Translation {
  return { kind: 'refused', code: 'unsupported_parameter', message }
}

/** Null: what is left is less than the API takes. */
function limitOutput(fields: JsonObject, { bounds, traits }: Target): Adjustment[] | null {
  const named = fields['max_tokens']
  const { tokens, reason } = limitToSend(named, bounds, traits.maxOutputTokens)
  if (reason === null || typeof tokens !== 'number') return []
  fields['max_tokens'] = tokens
  const adjustments: Adjustment[] = [{ field: 'max_tokens', value: tokens, reason }]
  const { thinking } = fields
  const budget = isJsonObject(thinking) ? thinking['budget_tokens'] : undefined
  if (!isJsonObject(thinking) || typeof budget !== 'number' || budget < tokens) return adjustments
  // Some betas let it exceed the limit; then it stays as it is.
  if (typeof named === 'number' && budget >= named) return adjustments
  if (tokens <= LEAST_THINKING) return null
  fields['thinking'] = { ...thinking, budget_tokens: tokens - 1 }
  return [...adjustments, { field: 'thinking.budget_tokens', value: tokens - 1, reason }]
}
