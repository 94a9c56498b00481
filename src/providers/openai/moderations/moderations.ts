import { failure } from '../../../domain/failure.ts'
import { NO_USAGE } from '../../../domain/pricing/usage.ts'
import { isJsonObject } from '../../../domain/request/call-request.ts'
import { type ModerationsRequest, moderatedInputs } from '../../../domain/request/moderations.ts'
import { worded } from '../../../domain/wording/worded.ts'
import type { Reading, Target, Translation, Translator } from '../../family.ts'
import { usageFromWire } from '../chat/response.ts'
import { failureFromErrorBody } from '../failure.ts'
import { costlyField } from '../free-fields.ts'
import { targetOf } from '../target.ts'

/** Nothing is generated. */
const BOUNDS = { outputTokens: 0, answers: 1, namedPercent: 100, accountPercent: 100 }

/** The hold covers `input` alone. */
const FREE_FIELDS = new Set(['model', 'input', 'user'])

/** The vendor's own are free, and count nothing. */
const FREE_MODELS = /^(?:omni|text)-moderation/

export function isModeration(model: string): boolean {
  return FREE_MODELS.test(model)
}

function moderator(takesTextOnly: boolean): Translator<ModerationsRequest> {
  return {
    target: (provider) => targetOf(provider, '/moderations'),
    toWire: (request, target) => toWire(request, target, takesTextOnly),
    fromWire,
  }
}

export const moderations = moderator(false)
/** Of vendors that classify texts only. */
export const textModerations = moderator(true)

function toWire(request: ModerationsRequest, { model, isStrict }: Target, takesTextOnly: boolean): Translation {
  const costly = isStrict === true ? costlyField(request, FREE_FIELDS) : null
  const [first] = request.input
  const refused = takesTextOnly && isJsonObject(first) ? worded`input: this provider takes texts only` : costly
  if (refused !== null) return { kind: 'refused', code: 'unsupported_parameter', message: refused }
  return { kind: 'wire', body: { ...request, model }, ignored: [], adjustments: [], bounds: BOUNDS }
}

function fromWire(body: unknown, request: ModerationsRequest, asked = ''): Reading {
  const results = isJsonObject(body) ? body['results'] : undefined
  if (!isJsonObject(body) || !Array.isArray(results) || results.length < moderatedInputs(request)) {
    const failed = isJsonObject(body) ? failureFromErrorBody(body) : null
    const message = worded`The provider answered without a result for each input.`
    return { kind: 'failure', failure: failed ?? failure('upstream_error', message, 200, { retry: 'once' }) }
  }
  const usage = isJsonObject(body['usage']) ? usageFromWire(body['usage'], null) : isModeration(asked) ? NO_USAGE : null
  return { kind: 'answer', answer: { body, usage, finishReason: null, warning: null } }
}
