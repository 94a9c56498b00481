import { z } from 'zod'
import type { Answer } from '../../domain/request/answer.ts'
import { isJsonObject, type JsonObject } from '../../domain/request/call-request.ts'

const Vector = z.looseObject({ values: z.array(z.number()) })
const Usage = z.looseObject({ promptTokenCount: z.int().optional() }).optional()

export const ContentEmbedding = z.looseObject({ embedding: Vector, usageMetadata: Usage })
export const ContentEmbeddings = z.looseObject({ embeddings: z.array(Vector), usageMetadata: Usage })

export function writeOne(answer: Answer): string {
  return written(answer, ([embedding]) => ({ embedding }))
}

export function writeBatch(answer: Answer): string {
  return written(answer, (embeddings) => ({ embeddings }))
}

/** The provider's own answer as it is; a list of embeddings in this format. */
function written({ json, body, usage }: Answer, fields: (vectors: JsonObject[]) => JsonObject): string {
  if (json !== undefined) return json
  const { data } = body
  if (!Array.isArray(data)) return JSON.stringify(body)
  const vectors = data.filter(isJsonObject).map(({ embedding: values }) => ({ values }))
  const counted = usage === null ? {} : { usageMetadata: { promptTokenCount: usage.input } }
  return JSON.stringify({ ...fields(vectors), ...counted })
}
