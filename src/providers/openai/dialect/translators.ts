import type { ChatRequest } from '../../../domain/request/chat.ts'
import type { EmbeddingsRequest } from '../../../domain/request/embeddings.ts'
import type { ResponsesRequest } from '../../../domain/request/responses.ts'
import { worded } from '../../../domain/wording/worded.ts'
import { partsOf } from '../../chat-chunks.ts'
import type { Accent, Translation, Translator, Translators } from '../../family.ts'
import { renaming } from '../../rename.ts'
import { speaker } from '../audio/speech.ts'
import { transcriber } from '../audio/transcription.ts'
import { USAGE_FIELD } from '../chat/request.ts'
import { fromWire } from '../chat/response.ts'
import { type Accented, ChatStream } from '../chat/stream.ts'
import { completer } from '../completions/completions.ts'
import { embeddings } from '../embeddings/embeddings.ts'
import { imageEdits, images } from '../images/images.ts'
import { moderations, textModerations } from '../moderations/moderations.ts'
import { reranker } from '../rerank/rerank.ts'
import { responses } from '../responses/responses.ts'
import { CHAT_SPARES } from '../spares.ts'
import { targetOf } from '../target.ts'
import { type Dialect, dialectOf, isEmpty } from './dialect.ts'
import { fitFields, toDialect } from './request.ts'
import { fromDialect } from './response.ts'

const byPreset = new Map<string, Translators>()
const bySettings = new WeakMap<object, Map<string, Translators>>()

/** Translators are identities: rows that say the same have the same. Null: the row says nothing. */
export function dialectTranslators({ preset, settings }: Pick<Accent, 'preset' | 'settings'>): Translators | null {
  if (preset === undefined && isEmpty(settings)) return null
  const name = preset ?? ''
  const known = settings === undefined ? byPreset : (bySettings.get(settings) ?? new Map<string, Translators>())
  if (settings !== undefined) bySettings.set(settings, known)
  const present = known.get(name)
  if (present !== undefined) return present
  const dialect = dialectOf({
    ...(preset === undefined ? {} : { preset }),
    ...(settings === undefined ? {} : { settings }),
  })
  if (dialect === null) return null
  const made = translatorsOf(dialect)
  known.set(name, made)
  return made
}

function translatorsOf(dialect: Dialect): Translators {
  const { vendor, options } = dialect
  const named = options.path_style === 'azure_deployment' ? { namesModel: true } : {}
  const accent: Accented = { ...vendor, hasOwnTiers: vendor.isFaithful !== true }
  const chat: Translator<ChatRequest> = {
    target: (provider, model) => targetOf(provider, '/chat/completions', model),
    ...named,
    toWire: (request, target) => toDialect(request, target, dialect),
    fromWire: vendor.isFaithful === true ? fromWire : (body) => fromDialect(body, dialect),
    ...(vendor.isFaithful === true ? { isVerbatim: true } : {}),
    ...(vendor.takesMarkers === true ? { takesMarkers: true } : {}),
    spares: CHAT_SPARES,
    ...(vendor.cacheKeyHeader === undefined ? {} : { cacheKeyHeader: vendor.cacheKeyHeader }),
    stream: { open: (request) => new ChatStream(request, accent), partsOf, usageField: USAGE_FIELD },
  }
  const { reranks, completes } = vendor
  const completion = completes === undefined ? {} : { completions: completer(completes, dialect) }
  const rerank = reranks === undefined ? {} : { rerank: reranker(reranks) }
  const moderator = vendor.moderates === 'all' ? moderations : textModerations
  const moderation = vendor.moderates === undefined ? {} : { moderations: moderator }
  const heard = vendor.transcribes === true ? transcribers(vendor.isFaithful === true, named) : {}
  return {
    ...(vendor.hasNoChat === true ? {} : { chat }),
    embeddings: embeddingsOf(dialect, named),
    responses: responsesOf(dialect),
    ...rerank,
    ...(vendor.draws !== undefined && { images: { ...images, ...named } }),
    ...(vendor.draws === 'and-edits' && { image_edits: { ...imageEdits, ...named } }),
    ...moderation,
    ...completion,
    ...heard,
    ...(vendor.talks === true ? { speech: { ...speaker(() => false, vendor.isFaithful === true), ...named } } : {}),
  } as Translators
}

function transcribers(isFaithful: boolean, named: { namesModel?: boolean }): Translators {
  const of = (path: string) => ({ ...transcriber(path, isFaithful), ...named }) as Translator
  return { transcriptions: of('/audio/transcriptions'), translations: of('/audio/translations') }
}

function embeddingsOf(dialect: Dialect, named: { namesModel?: boolean }): Translator<EmbeddingsRequest> {
  return {
    ...embeddings,
    ...named,
    target: (provider, model) => targetOf(provider, '/embeddings', model),
    toWire(request, target): Translation {
      if (dialect.vendor.embedsTextOnly === true && !isText(request.input)) {
        return {
          kind: 'refused',
          code: 'unsupported_parameter',
          message: worded`input: this provider takes texts, not tokens`,
        }
      }
      const ignored: string[] = []
      const body = { ...request }
      const adjustments = fitFields(body, dialect, ignored).map(renaming)
      const translation = embeddings.toWire(body, target)
      if (translation.kind !== 'wire') return translation
      return { ...translation, ignored, adjustments: [...adjustments, ...translation.adjustments] }
    },
  }
}

/** Its requests pass as they are: who speaks the format at all speaks it as the vendor does. */
function responsesOf({ vendor }: Dialect): Translator<ResponsesRequest> {
  return {
    ...responses,
    target: (provider) => targetOf(provider, '/responses'),
    isSpokenBy: (provider) => {
      if (provider.speaks !== undefined || provider.preset === undefined)
        return responses.isSpokenBy?.(provider) === true
      return vendor.speaks?.includes('responses') === true
    },
  }
}

function isText(input: EmbeddingsRequest['input']): boolean {
  return typeof input === 'string' || typeof input[0] === 'string'
}
