import { z } from 'zod'
import type { Answer, Stamp } from '../../domain/request/answer.ts'

export const RerankAnswer = z.looseObject({
  id: z.string(),
  model: z.string().describe('As the caller sent it; the model that answered is in x-gateway-model.'),
  results: z.array(
    z.looseObject({
      index: z.int().describe('Place of the document in the request, from 0'),
      relevance_score: z.number(),
      document: z.object({ text: z.string() }).optional().describe('Where `return_documents` asked for it'),
    }),
  ),
  usage: z.looseObject({ total_tokens: z.int() }).optional().describe('Where the provider counts tokens'),
  meta: z
    .looseObject({ billed_units: z.looseObject({ search_units: z.number().optional() }) })
    .optional()
    .describe('Where the provider bills by search units'),
})

export function writeRerank({ body }: Answer, { id, model }: Stamp): string {
  return JSON.stringify({ ...body, id, model })
}
