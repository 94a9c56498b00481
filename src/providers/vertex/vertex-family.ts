import type { Family, Translators } from '../family.ts'
import { chatThrough } from '../gemini/chat.ts'
import { contentsThrough } from '../gemini/contents/contents.ts'
import { countThrough } from '../gemini/contents/count.ts'
import { embedThrough } from '../gemini/contents/embed.ts'
import { drawsInChat, operationOf } from '../gemini/gemini-family.ts'
import { imagesThrough } from '../gemini/images.ts'
import { authorization } from './authorization.ts'
import { modelsFromWire } from './catalog.ts'
import * as claude from './claude.ts'
import { contents, embedsContent, predictions } from './embeddings.ts'
import { CLOUD, modelsTarget } from './endpoint.ts'
import { failureFromWire } from './failure.ts'
import * as partners from './partners.ts'
import { CREDENTIALS, problemOf, Settings } from './settings.ts'

const chat = chatThrough(CLOUD)
const generate_content = contentsThrough(CLOUD)
const count_content_tokens = countThrough(CLOUD)
const embed_content = embedThrough(CLOUD)
const COMMON = { chat, images: imagesThrough(CLOUD), generate_content, count_content_tokens }
const GEMINI: Translators = { ...COMMON, embeddings: contents, embed_content }
const OLDER: Translators = { ...COMMON, embeddings: predictions }
const CLAUDE: Translators = { chat: claude.chat, messages: claude.messages, count_tokens: claude.countTokens }
const PARTNERS: Translators = { chat: partners.chat }

function translatorsFor(model: string): Translators {
  if (claude.isClaude(model)) return CLAUDE
  if (model.includes('/')) return PARTNERS
  return embedsContent(model) ? GEMINI : OLDER
}

/** Models of several publishers at one vendor's cloud, each in its own format. */
export const vertexFamily: Family = {
  conventionName: 'gcp.vertex_ai',
  isAddressKnown: true,
  settings: Settings,
  credentials: CREDENTIALS,
  problemOf,
  authorization,
  onCallerLeft: 'drain',
  translators: GEMINI,
  translatorsFor,
  operationOf: (model) => (claude.isClaude(model) || model.includes('/') ? 'chat' : operationOf(model)),
  drawsInChat,
  failureFromWire,
  modelsTarget,
  modelsFromWire,
  requestIdHeader: 'request-id',
  pins: [],
  isOwnService: () => false,
  baseUrlHint: 'Are settings.project and settings.location right? The base URL, if there is one, has no path.',
}
