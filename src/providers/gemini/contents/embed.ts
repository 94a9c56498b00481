import type { JsonObject } from '../../../domain/request/call-request.ts'
import type { BatchEmbedContentsRequest, EmbedContentRequest } from '../../../domain/request/contents.ts'
import type { Reading, Translation, Translator } from '../../family.ts'
import type { Door } from '../door.ts'
import { missingIn, NOTHING_GENERATED, nameOf, usageIn, vectorsIn } from '../embeddings.ts'

/** Embeddings in the models' own format, for one content. */
export function embedThrough(door: Door): Translator<EmbedContentRequest> {
  return {
    target: (provider, model) => door.target(provider, model, 'embedContent'),
    namesModel: true,
    toWire: (request) => wireOf(withoutPath(request)),
    fromWire: (body) => readingOf(body, 1),
    isVerbatim: true,
  }
}

/** The same for many contents, each of which names the model once more. */
export function batchEmbedThrough(door: Door): Translator<BatchEmbedContentsRequest> {
  return {
    target: (provider, model) => door.target(provider, model, 'batchEmbedContents'),
    namesModel: true,
    toWire(request, { model }) {
      const requests = request.requests.map((each) => ({ ...each, model: nameOf(model) }))
      return wireOf({ ...withoutPath(request), requests })
    },
    fromWire: (body, { requests }) => readingOf(body, requests.length),
    isVerbatim: true,
  }
}

function withoutPath({ model: _model, stream: _stream, ...body }: JsonObject): JsonObject {
  return body
}

function wireOf(body: JsonObject): Translation {
  return { kind: 'wire', body, ignored: [], adjustments: [], bounds: NOTHING_GENERATED }
}

/** Passes as it is, with as many vectors as there were contents. */
function readingOf(body: unknown, inputs: number): Reading {
  const missing = missingIn(vectorsIn(body), inputs, body)
  if (missing !== null) return { kind: 'failure', failure: missing }
  return {
    kind: 'answer',
    answer: { body: body as JsonObject, usage: usageIn(body), finishReason: null, warning: null },
  }
}
