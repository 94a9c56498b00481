import { z } from 'zod'
import type { Answer, Stamp } from '../../domain/request/answer.ts'

export const EmbeddingList = z.looseObject({
  object: z.literal('list'),
  data: z.array(
    z.looseObject({
      object: z.literal('embedding'),
      index: z.int(),
      embedding: z
        .union([z.array(z.number()), z.string()])
        .describe('Numbers, or base64 of little-endian 32-bit floats, as `encoding_format` asked.'),
    }),
  ),
  model: z.string().describe('As the caller sent it; the model that answered is in x-gateway-model.'),
  usage: z.looseObject({ prompt_tokens: z.int(), total_tokens: z.int() }),
})

/** The format has no id: it is in the header only. Clients expect a usage, also where the provider counts nothing. */
export function writeEmbeddings({ body }: Answer, { model, promptTokens }: Stamp): string {
  const { id: _, ...rest } = body
  const usage = rest['usage'] ?? { prompt_tokens: promptTokens ?? 0, total_tokens: promptTokens ?? 0 }
  return JSON.stringify({ object: 'list', ...rest, model, usage })
}
