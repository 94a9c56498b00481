import { failure } from '../../../domain/failure.ts'
import { CHARACTER } from '../../../domain/pricing/unit-prices.ts'
import { isJsonObject } from '../../../domain/request/call-request.ts'
import { mostCharacters, mostSpokenTokens, type SpeechRequest } from '../../../domain/request/media/speech.ts'
import { worded } from '../../../domain/wording/worded.ts'
import { PLAIN_BYTES } from '../../../upstream/event-framing.ts'
import type { Reading, Target, Translation, Translator } from '../../family.ts'
import { failureFromErrorBody } from '../failure.ts'
import { costlyField } from '../free-fields.ts'
import { targetOf } from '../target.ts'
import { SpeechStream } from './speech-stream.ts'

/** `asksForEvents`: of models that bill tokens events say how many, bytes do not. */
export function speaker(asksForEvents: (target: Target) => boolean, isFaithful = true): Translator<SpeechRequest> {
  return {
    target(provider, model) {
      const target = targetOf(provider, '/audio/speech', model)
      return { ...target, headers: { ...target.headers, accept: '*/*' } }
    },
    toWire: (request, target) => toWire(request, target, asksForEvents(target)),
    fromWire,
    isVerbatim: true,
    ...(isFaithful ? {} : { hasForeignErrors: true }),
    stream: { bytes: PLAIN_BYTES, open: (request) => new SpeechStream(request), partsOf: () => [] },
  }
}

/** The text bounds what they cost. */
const FREE_FIELDS = new Set([
  'model',
  'input',
  'voice',
  'instructions',
  'response_format',
  'speed',
  'stream_format',
  'user',
])

function toWire(request: SpeechRequest, target: Target, asksForEvents: boolean): Translation {
  const { model, isStrict, traits } = target
  const costly = isStrict === true ? costlyField(request, FREE_FIELDS) : null
  if (costly !== null) return { kind: 'refused', code: 'unsupported_parameter', message: costly }
  const events = asksForEvents && request.stream_format === undefined ? { stream_format: 'sse' } : {}
  return {
    kind: 'wire',
    body: { ...request, model, ...events },
    ignored: [],
    adjustments: [],
    bounds: {
      outputTokens: traits.maxOutputTokens ?? mostSpokenTokens(request),
      ...{ answers: 1, namedPercent: 100, accountPercent: 100, isTextPrompt: true },
      units: [{ name: CHARACTER, most: mostCharacters(request), orTokens: true }],
    },
  }
}

/** JSON is no sound. */
function fromWire(body: unknown): Reading {
  const failed = isJsonObject(body) ? failureFromErrorBody(body) : null
  const message = worded`The provider answered without a sound.`
  return { kind: 'failure', failure: failed ?? failure('upstream_error', message, 200, { retry: 'once' }) }
}
