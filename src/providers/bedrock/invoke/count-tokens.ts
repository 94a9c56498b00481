import { NO_USAGE } from '../../../domain/pricing/usage.ts'
import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'
import { hasField, textWithout } from '../../../domain/request/json-cuts.ts'
import type { CountTokensRequest } from '../../../domain/request/messages.ts'
import { omittedField } from '../../../domain/request/omissions.ts'
import { countTokens as vendorCount } from '../../anthropic/messages/count-tokens.ts'
import type { Reading, Translator } from '../../family.ts'
import { modelTarget } from '../endpoint.ts'
import { failureFromWire } from '../failure.ts'
import { CLAUDE_OMISSIONS } from '../omissions.ts'
import { carriedBetas, enveloped } from './envelope.ts'

/** Counts the body that `invoke` would get. */
export const countTokens: Translator<CountTokensRequest> = {
  target: (provider, model) => modelTarget(provider, model, 'count-tokens'),
  namesModel: true,
  toWire(request, target) {
    const counted = vendorCount.toWire(request, target)
    if (counted.kind !== 'wire') return counted
    const { wire, adjustments } = enveloped({ max_tokens: leastLimit(request), ...counted.body }, target)
    const fields = CLAUDE_OMISSIONS.fields.filter((path) => hasField(wire, path))
    // What is cut out of a body is looked for in its text, and here that is not to be seen.
    const text = JSON.stringify(wire)
    const body = Buffer.from(textWithout(text, { fields }) ?? text).toString('base64')
    const told = [...counted.adjustments, ...adjustments, ...fields.map(omittedField)]
    return { ...counted, body: { input: { invokeModel: { body } } }, adjustments: told }
  },
  fromWire,
  carried: carriedBetas,
  omits: CLAUDE_OMISSIONS,
}

/** A count needs no limit, but the body that is counted does, and more than it may think. */
function leastLimit({ thinking }: JsonObject): number {
  const budget = isJsonObject(thinking) ? thinking['budget_tokens'] : null
  return typeof budget === 'number' ? budget + 1 : 1
}

function fromWire(body: unknown): Reading {
  const tokens = isJsonObject(body) ? body['inputTokens'] : null
  if (typeof tokens !== 'number') return { kind: 'failure', failure: failureFromWire(200, body) }
  return {
    kind: 'answer',
    answer: { body: { input_tokens: tokens }, usage: NO_USAGE, finishReason: null, warning: null },
  }
}
