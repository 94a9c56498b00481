import type { Adjustment } from '../../../domain/request/adjustment.ts'
import { type Bounds, largestLimit } from '../../../domain/request/bounds.ts'
import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'
import type { ChatRequest } from '../../../domain/request/chat.ts'
import { limitToSend } from '../../../domain/request/output-limit.ts'
import { mistake, Rejection, refuse } from '../../../domain/request/rejection.ts'
import { worded } from '../../../domain/wording/worded.ts'
import type { Target, Translation } from '../../family.ts'
import { type Pin, pinned } from '../../pin.ts'
import { mostPercent, REGION } from '../account-defaults.ts'
import { takesRegion } from '../models.ts'
import { quoted } from './content-parts.ts'
import type { Draft } from './draft.ts'
import { FIELDS } from './fields.ts'
import { asksForJson, jsonModeFields } from './json-mode.ts'
import { newNotes } from './notes.ts'
import { toolFields } from './tool-choice.ts'

/** The default in docs/contract.md; the API requires the field. */
const DEFAULT_MAX_TOKENS = 1024

const NO_NAMES: ReadonlySet<string> = new Set()

/** The caller's request as a Messages API request. */
export function toWire(request: ChatRequest, target: Target): Translation {
  try {
    return translated(request, target)
  } catch (error) {
    if (error instanceof Rejection) return error.rejected
    throw error
  }
}

function translated(request: unknown, target: Target): Translation {
  if (!isJsonObject(request)) return mistake(worded`The body must be a JSON object.`)
  const body: JsonObject = { model: target.model, max_tokens: DEFAULT_MAX_TOKENS }
  const draft: Draft = { request, target, body, notes: newNotes(), toolNames: NO_NAMES }
  for (const name of Object.keys(request)) {
    const value = request[name]
    if (value !== null && value !== undefined) readField(name, value, draft)
  }
  if (body['messages'] === undefined) return mistake(worded`messages: expected an array`)
  const tools = toolFields(request, draft.toolNames)
  Object.assign(body, asksForJson(request) ? jsonModeFields(tools, draft) : tools)
  if (request['stream'] === true) body['stream'] = true
  const adjustments = [...limitOutput(request, draft), ...pinned(body, pinsFor(draft))]
  return { kind: 'wire', body, ignored: [...draft.notes.ignored], adjustments, bounds: boundsOf(body) }
}

function boundsOf(body: JsonObject): Bounds {
  return {
    outputTokens: largestLimit([body['max_tokens']]),
    answers: 1,
    namedPercent: mostPercent(body, false),
    accountPercent: mostPercent(body, true),
  }
}

function limitOutput(request: JsonObject, { body, target: { bounds, traits } }: Draft): Adjustment[] {
  const named = request['max_tokens'] ?? request['max_completion_tokens']
  const { tokens, reason } = limitToSend(named, bounds, traits.maxOutputTokens, DEFAULT_MAX_TOKENS)
  if (reason === null || typeof tokens !== 'number') return []
  body['max_tokens'] = tokens
  return [{ field: 'max_tokens', value: tokens, reason }]
}

/** The caller's choice is kept; older models reject a region. */
function pinsFor({ request, target }: Draft): readonly Pin[] {
  const { pins = [] } = target
  return pins.filter((pin) =>
    pin.field === REGION.field ? takesRegion(target) : (request[pin.field] ?? null) === null,
  )
}

function readField(name: string, value: unknown, draft: Draft): void {
  const field = FIELDS.get(name) ?? refuse(worded`unknown parameter ${quoted(name)}`)
  switch (field.kind) {
    case 'verbatim':
      draft.body[name] = value
      break
    case 'map':
      field.read(value, draft)
      break
    case 'ignore':
      if (value !== field.unless) draft.notes.ignored.add(name)
      break
    case 'refuse':
      if (field.when(value)) refuse(worded`${name}: this value is not supported by this provider`)
  }
}
