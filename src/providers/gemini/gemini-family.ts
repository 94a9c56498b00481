import { z } from 'zod'
import type { Operation } from '../../domain/request/call-request.ts'
import type { Family } from '../family.ts'
import { isVendor } from '../pin.ts'
import { modelsFromWire } from './catalog.ts'
import { chatThrough } from './chat.ts'
import { contentsThrough } from './contents/contents.ts'
import { countThrough } from './contents/count.ts'
import { batchEmbedThrough, embedThrough } from './contents/embed.ts'
import { embeddingsThrough } from './embeddings.ts'
import { DIRECT, modelsTarget, PUBLIC_BASE } from './endpoint.ts'
import { failureFromWire } from './failure.ts'
import { imagesThrough } from './images.ts'

export const chat = chatThrough(DIRECT)
export const embeddings = embeddingsThrough(DIRECT)
const generate_content = contentsThrough(DIRECT)
const count_content_tokens = countThrough(DIRECT)
const embed_content = embedThrough(DIRECT)
const batch_embed_contents = batchEmbedThrough(DIRECT)

/** Sent as they are, and never invented. */
export const SAFETY_SETTINGS = z
  .array(z.strictObject({ category: z.string().min(1), threshold: z.string().min(1), method: z.string().optional() }))
  .optional()

/** `generateContent` of the vendor's own API, with an API key. */
export const geminiFamily: Family = {
  conventionName: 'gcp.gemini',
  isAddressKnown: true,
  // A cancelled stream is still billed.
  onCallerLeft: 'drain',
  settings: z.strictObject({ safety_settings: SAFETY_SETTINGS, list_models: z.boolean().optional() }),
  translators: {
    chat,
    images: imagesThrough(DIRECT),
    embeddings,
    generate_content,
    count_content_tokens,
    embed_content,
    batch_embed_contents,
  },
  operationOf,
  drawsInChat,
  isListed: ({ settings }) => settings?.['list_models'] === true,
  modelsTarget,
  failureFromWire,
  modelsFromWire,
  requestIdHeader: 'x-goog-request-id',
  pins: [],
  isOwnService: (provider) => isVendor(provider, 'gemini', PUBLIC_BASE),
  baseUrlHint: 'The base URL ends with its version, such as /v1beta. Does it contain an extra path?',
}

export function drawsInChat(model: string): boolean {
  return /-image\b|nano-banana/.test(model)
}

export function operationOf(model: string): Operation | null {
  if (/embedding/.test(model)) return 'embeddings'
  return /^(?:models\/)?gem(?:ini|ma)-/.test(model) ? 'chat' : null
}
