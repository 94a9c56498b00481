import { failure } from '../../../domain/failure.ts'
import { NO_USAGE } from '../../../domain/pricing/usage.ts'
import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'
import { type Content, type CountContentsRequest, objectField, WHOLE } from '../../../domain/request/contents.ts'
import { worded } from '../../../domain/wording/worded.ts'
import type { Reading, Target, Translation, Translator } from '../../family.ts'
import type { Door } from '../door.ts'
import { NOTHING_GENERATED, nameOf } from '../embeddings.ts'
import { failureIn } from '../failure.ts'
import { withoutOwn } from './own-signatures.ts'

/** Counts by the models behind a door, which charge nothing for it. */
export function countThrough(door: Door): Translator<CountContentsRequest> {
  return {
    target: (provider, model) => door.target(provider, model, 'countTokens'),
    namesModel: true,
    toWire,
    fromWire,
    isVerbatim: true,
  }
}

function toWire(request: CountContentsRequest, { model }: Target): Translation {
  const { model: _model, stream: _stream, ...body } = request as JsonObject
  setContents(body)
  const whole = objectField(body, WHOLE)
  if (whole !== null) {
    const named = whole['model'] === undefined ? { ...whole } : { ...whole, model: nameOf(model) }
    setContents(named)
    body[body[WHOLE] === whole ? WHOLE : 'generate_content_request'] = named
  }
  return { kind: 'wire', body, ignored: [], adjustments: [], bounds: NOTHING_GENERATED }
}

function setContents(body: JsonObject): void {
  const { contents } = body
  if (!Array.isArray(contents) || !contents.every(isJsonObject)) return
  const left = withoutOwn(contents as Content[])
  if (left !== contents) body['contents'] = left
}

function fromWire(body: unknown): Reading {
  if (!isJsonObject(body) || typeof body['totalTokens'] !== 'number') {
    const message = worded`The provider answered without a number of tokens.`
    return { kind: 'failure', failure: failureIn(body) ?? failure('upstream_error', message, 200, { retry: 'once' }) }
  }
  return { kind: 'answer', answer: { body, usage: NO_USAGE, finishReason: null, warning: null } }
}
