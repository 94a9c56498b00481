import { chatCompletions } from './chat-completions/chat-completions.ts'
import { completions } from './completions/completions.ts'
import { countContentTokens } from './count-content-tokens/count-content-tokens.ts'
import { countTokens } from './count-tokens/count-tokens.ts'
import { batchEmbedContents, embedContent } from './embed-content/embed-content.ts'
import { embeddings } from './embeddings/embeddings.ts'
import type { Endpoint } from './endpoint.ts'
import { generateContent } from './generate-content/generate-content.ts'
import { imageEdits } from './images/edits.ts'
import { images } from './images/images.ts'
import { messages } from './messages/messages.ts'
import { moderations } from './moderations/moderations.ts'
import { rerank } from './rerank/rerank.ts'
import { responses } from './responses/responses.ts'
import { speech } from './speech/speech.ts'
import { transcriptions, translations } from './transcriptions/transcriptions.ts'

/** Every public path that costs money: router, worker, log and documentation read this table. */
export const ENDPOINTS: readonly Endpoint[] = [
  chatCompletions,
  embeddings,
  messages,
  countTokens,
  responses,
  generateContent,
  countContentTokens,
  embedContent,
  batchEmbedContents,
  rerank,
  images,
  imageEdits,
  moderations,
  completions,
  transcriptions,
  translations,
  speech,
]

export function endpointNamed(name: string): Endpoint {
  const found = ENDPOINTS.find((endpoint) => endpoint.name === name)
  if (found === undefined) throw new Error(`there is no endpoint '${name}'`)
  return found
}
