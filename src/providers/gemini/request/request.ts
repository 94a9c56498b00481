import type { Adjustment } from '../../../domain/request/adjustment.ts'
import { type Bounds, isCount, largestLimit } from '../../../domain/request/bounds.ts'
import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'
import type { ChatRequest } from '../../../domain/request/chat.ts'
import { limitToSend } from '../../../domain/request/output-limit.ts'
import { mistake, quoted, Rejection, refuse } from '../../../domain/request/rejection.ts'
import { worded } from '../../../domain/wording/worded.ts'
import type { Target, Translation } from '../../family.ts'
import type { Door } from '../door.ts'
import { tierPercent } from '../tiers.ts'
import type { Draft } from './draft.ts'
import { FIELDS } from './fields.ts'
import { addTools } from './tools.ts'

/** The caller's request as a `generateContent` request. */
export function toWire(request: ChatRequest, target: Target, door: Door): Translation {
  try {
    return translated(request, target, door)
  } catch (error) {
    if (error instanceof Rejection) return error.rejected
    throw error
  }
}

function translated(request: unknown, target: Target, door: Door): Translation {
  if (!isJsonObject(request)) return mistake(worded`The body must be a JSON object.`)
  const draft: Draft = { request, target, door, body: {}, config: {}, ignored: new Set() }
  const { body, config, ignored } = draft
  for (const name of Object.keys(request)) {
    const value = request[name]
    if (value === null || value === undefined) continue
    const read = FIELDS.get(name) ?? refuse(worded`unknown parameter ${quoted(name)}`)
    read(value, draft)
  }
  if (body['contents'] === undefined) return mistake(worded`messages: expected an array`)
  addTools(draft)
  const adjustments = limitOutput(draft)
  if (Object.keys(config).length > 0) body['generationConfig'] = config
  if (target.settings?.['safety_settings'] !== undefined) body['safetySettings'] = target.settings['safety_settings']
  return { kind: 'wire', body, ignored: [...ignored], adjustments, bounds: boundsOf(body, config) }
}

/** The limit counts thoughts too, and holds for each of several answers. */
function boundsOf({ serviceTier }: JsonObject, { maxOutputTokens, candidateCount }: JsonObject): Bounds {
  const percent = Math.max(100, tierPercent(serviceTier))
  return {
    outputTokens: largestLimit([maxOutputTokens]),
    answers: isCount(candidateCount) ? candidateCount : 1,
    namedPercent: percent,
    accountPercent: percent,
  }
}

/** Under a hard budget the model's own limit is sent where there is no other: it is what the hold counts with. */
function limitOutput({ config, target: { bounds, traits, isStrict } }: Draft): Adjustment[] {
  const field = 'maxOutputTokens'
  const { tokens, reason } = limitToSend(config[field], bounds, traits.maxOutputTokens)
  if (reason !== null && typeof tokens === 'number') {
    config[field] = tokens
    return [{ field, value: tokens, reason }]
  }
  if (isStrict !== true || isCount(config[field]) || traits.maxOutputTokens === null) return []
  config[field] = traits.maxOutputTokens
  return [{ field, value: traits.maxOutputTokens, reason: 'pinned' }]
}
