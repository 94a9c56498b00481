import type { Operation } from '../family.ts'
import { type JsonObject, objectOrEmpty, objectsIn, stringOrNull } from '../json.ts'
import { createRandom, hashText } from '../random.ts'
import { countTokens } from '../tokens.ts'
import { errorAnswer } from './errors.ts'

const USUAL_LENGTH = 8

/** One vector for each request; the newer models count their tokens. */
export const embeddingsOperation: Operation = {
  path: 'batchEmbedContents',
  validate(body) {
    const requests = objectsIn(body['requests'])
    if (requests.length === 0) return errorAnswer({ message: '* BatchEmbedContentsRequest.requests: is empty' })
    const wrong = requests.find(({ model }) => model !== `models/${body['model']}`)
    if (wrong !== undefined) return errorAnswer({ message: 'model in the request must match the model in the URL' })
    return requests.some((request) => textOf(request) === '') ? errorAnswer({ message: 'content is empty' }) : null
  },
  lastUserText: (body) => textOf(objectsIn(body['requests']).at(-1) ?? {}),
  answer(body, tweak) {
    const requests = objectsIn(body['requests'])
    const embeddings = requests.map((request) => ({ values: vectorOf(request) }))
    if (tweak.embeddings?.usage === 'none') return { embeddings }
    const tokens = requests.reduce((sum, request) => sum + countTokens(textOf(request)), 0)
    return { embeddings, usageMetadata: { promptTokenCount: tweak.exactUsage?.prompt ?? tokens } }
  },
}

/** The same for one content, without a list. */
export const embeddingOperation: Operation = {
  path: 'embedContent',
  validate: (body) => (textOf(body) === '' ? errorAnswer({ message: 'content is empty' }) : null),
  lastUserText: textOf,
  answer(body, tweak) {
    const embedding = { values: vectorOf(body) }
    if (tweak.embeddings?.usage === 'none') return { embedding }
    return { embedding, usageMetadata: { promptTokenCount: tweak.exactUsage?.prompt ?? countTokens(textOf(body)) } }
  },
}

function textOf(request: JsonObject): string {
  const parts = objectsIn(objectOrEmpty(request['content'])['parts'])
  return parts.map((part) => stringOrNull(part['text']) ?? '').join('')
}

function vectorOf(request: JsonObject): number[] {
  const random = createRandom(hashText(textOf(request)))
  const { outputDimensionality: length } = request
  const raw = Array.from({ length: typeof length === 'number' ? length : USUAL_LENGTH }, () => random() - 0.5)
  const size = Math.hypot(...raw)
  return raw.map((value) => value / size)
}
