import { NO_USAGE } from '../../../domain/pricing/usage.ts'
import { isJsonObject } from '../../../domain/request/call-request.ts'
import type { CountTokensRequest } from '../../../domain/request/messages.ts'
import type { Reading, Translator } from '../../family.ts'
import { countTarget } from '../endpoint.ts'
import { failureFromWire, isErrorBody } from '../failure.ts'
import { SPARES } from '../spares.ts'
import { withoutUnsigned } from './foreign-thinking.ts'
import { forwarded } from './forwarded.ts'

/** Nothing is generated, and the vendor charges nothing. */
const BOUNDS = { outputTokens: 0, answers: 1, namedPercent: 100, accountPercent: 100 }

export const countTokens: Translator<CountTokensRequest> = {
  target: countTarget,
  toWire(request, { model }) {
    const messages = withoutUnsigned(request.messages)
    return { kind: 'wire', body: { ...request, model, messages }, ignored: [], adjustments: [], bounds: BOUNDS }
  },
  fromWire,
  isVerbatim: true,
  forwarded,
  spares: SPARES,
}

function fromWire(body: unknown): Reading {
  if (!isJsonObject(body) || isErrorBody(body) || typeof body['input_tokens'] !== 'number') {
    return { kind: 'failure', failure: failureFromWire(200, body) }
  }
  return { kind: 'answer', answer: { body, usage: NO_USAGE, finishReason: null, warning: null } }
}
