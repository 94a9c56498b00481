import type { Operation } from '../family.ts'
import { type JsonObject, objectOrEmpty, objectsIn } from '../json.ts'
import { resultsOf } from '../openai/rerank.ts'
import { errorAnswer } from './errors.ts'

/** Its model is in the body, as an ARN. */
export const rerank: Operation = {
  path: 'rerank',
  validate(body) {
    const { queries, sources } = body
    const { numberOfResults: most, modelConfiguration: model } = configIn(body)
    const documents = objectsIn(sources).map(
      ({ type, inlineDocumentSource: document }) => type === 'INLINE' && textIn(document),
    )
    const problem =
      objectsIn(queries).length !== 1 || objectsIn(queries)[0]?.['type'] !== 'TEXT'
        ? 'queries: expected one of type TEXT'
        : documents.length === 0 ||
            documents.length > 1_000 ||
            documents.some((text) => typeof text !== 'string' || text === '')
          ? 'sources: expected 1 to 1000 texts'
          : !(Number(most) >= 1 && Number(most) <= documents.length)
            ? 'numberOfResults: out of range'
            : /^arn:aws[a-z-]*:bedrock:[a-z0-9-]+::foundation-model\/.+/.test(String(objectOrEmpty(model)['modelArn']))
              ? null
              : 'modelArn: invalid'
    return problem === null ? null : errorAnswer({ message: problem })
  },
  lastUserText: () => '',
  answer(body) {
    const [query] = objectsIn(body['queries'])
    const documents = objectsIn(body['sources']).map(({ inlineDocumentSource: document }) => textIn(document))
    const asked = {
      query: objectOrEmpty(query?.['textQuery'])['text'],
      documents,
      top_n: configIn(body)['numberOfResults'],
    }
    const results = resultsOf(asked).map(({ index, relevance_score: relevanceScore }) => ({ index, relevanceScore }))
    return { results }
  },
}

function configIn(body: JsonObject): JsonObject {
  return objectOrEmpty(objectOrEmpty(body['rerankingConfiguration'])['bedrockRerankingConfiguration'])
}

function textIn(document: unknown): unknown {
  const { type, textDocument } = objectOrEmpty(document)
  return type === 'TEXT' ? objectOrEmpty(textDocument)['text'] : null
}
