import { UNKNOWN_TRAITS } from '../../domain/provider.ts'
import type { Operation } from '../../domain/request/call-request.ts'
import type { CatalogPage, Family } from '../family.ts'
import { isVendor } from '../pin.ts'
import { speaker } from './audio/speech.ts'
import { transcriber } from './audio/transcription.ts'
import { identity } from './azure/identity.ts'
import { chat } from './chat/chat.ts'
import { TIER_PIN } from './chat/tiers.ts'
import { completer, isTextModel } from './completions/completions.ts'
import { dialectOf } from './dialect/dialect.ts'
import { Options } from './dialect/options.ts'
import { problemOf } from './dialect/problem.ts'
import { dialectTranslators } from './dialect/translators.ts'
import { embeddings } from './embeddings/embeddings.ts'
import { failureFromWire } from './failure.ts'
import { imageEdits, images } from './images/images.ts'
import { isModeration, moderations } from './moderations/moderations.ts'
import { reranker } from './rerank/rerank.ts'
import { responses } from './responses/responses.ts'
import { DEFAULT_BASE_URL, targetOf } from './target.ts'
import { ModelList } from './wire.ts'

const builtin = {
  name: 'openai',
  apiKeyVariable: 'OPENAI_API_KEY',
  baseUrlVariable: 'OPENAI_BASE_URL',
  speaksVariable: 'OPENAI_SPEAKS',
  modelPrefixes: ['gpt-', 'o', 'text-embedding-'],
}

/** The vendor itself has no such models; compatible servers do. */
const rerank = reranker(undefined, ({ baseUrl }) => baseUrl !== null)
const AUDIO = {
  transcriptions: transcriber('/audio/transcriptions'),
  translations: transcriber('/audio/translations'),
  // The vendor's own newer models, which bill tokens.
  speech: speaker(({ model, baseUrl }) => baseUrl === null && !model.startsWith('tts-1')),
}
const DRAWN = { images, image_edits: imageEdits }
const TRANSLATORS = { chat, embeddings, responses, rerank, moderations, completions: completer(), ...AUDIO, ...DRAWN }

export const openaiFamily: Family = {
  builtin,
  isAddressKnown: true,
  requestIdHeader: 'x-request-id',
  // Azure runs filter and model side by side, and bills both.
  billsFailure: (status, code) => (status === 400 && code === 'content_filter' ? true : undefined),
  // The second is that of a vendor who can be asked by it what a call cost, also one that was cut.
  otherRequestIdHeaders: ['apim-request-id', 'x-generation-id'],
  baseUrlHint: 'Does the base URL include /v1?',
  hintsFor: (provider) => dialectOf(provider)?.vendor.hints ?? null,
  translators: TRANSLATORS,
  translatorsFor: (_model, provider) => dialectTranslators(provider) ?? TRANSLATORS,
  settings: Options,
  credentials: ['client_secret'],
  problemOf,
  authorization: identity,
  operationOf,
  modelsTarget: (provider) => targetOf(provider, '/models'),
  isListed: ({ settings }) => settings?.['list_models'] === true,
  failureFromWire,
  modelsFromWire,
  pins: [TIER_PIN],
  isOwnService: (provider) => provider.preset === undefined && isVendor(provider, builtin.name, DEFAULT_BASE_URL),
  batchPercent: 50,
}

/** The list is one page. Compatible servers may omit `created`. */
function modelsFromWire(body: unknown): CatalogPage {
  const parsed = ModelList.safeParse(body)
  if (!parsed.success) throw new TypeError('the model list has no "data" array of models')
  const models = parsed.data.data.map((model) => ({
    id: model.id,
    created: Math.trunc(model.created ?? 0),
    traits: UNKNOWN_TRAITS,
  }))
  return { models, next: null }
}

function operationOf(model: string): Operation | null {
  if (model.startsWith('text-embedding-')) return 'embeddings'
  if (isModeration(model)) return 'moderations'
  if (/^(?:chat)?gpt-image-/.test(model)) return 'images'
  return isTextModel(model) ? 'completions' : null
}
