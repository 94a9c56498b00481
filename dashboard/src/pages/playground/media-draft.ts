import type { Query } from '../../api/client.ts'
import type { Built } from './draft.ts'

export const MEDIA = ['images', 'speech', 'transcriptions'] as const satisfies Query<'chat.try'>['endpoint'][]
export type Media = (typeof MEDIA)[number]

/** Kept nowhere but on the page. */
export interface MediaDraft {
  text: string
  size: string
  quality: string
  voice: string
  format: string
  file: { name: string; data: string } | null
}

export const EMPTY_MEDIA: MediaDraft = {
  text: '',
  size: 'auto',
  quality: 'auto',
  voice: 'alloy',
  format: 'mp3',
  file: null,
}

export const SIZES = ['auto', '1024x1024', '1536x1024', '1024x1536']
export const QUALITIES = ['auto', 'low', 'medium', 'high']
export const FORMATS = ['mp3', 'opus', 'aac', 'flac', 'wav']
/** As base64 it must fit into the body that a gateway takes by default. */
export const MOST_BYTES = 20 * 1024 * 1024

/** The body to send, or what is missing. */
export function buildMedia(media: Media, model: string, draft: MediaDraft): Built {
  if (model === '') return { body: null, problem: 'Choose an alias or a model.' }
  if (media === 'transcriptions') {
    const { file } = draft
    if (file === null) return { body: null, problem: 'Choose a file.' }
    const format = file.name.split('.').at(-1)?.toLowerCase() ?? ''
    return { body: { model, input_audio: { data: file.data, format } }, problem: null }
  }
  if (draft.text.trim() === '') return { body: null, problem: 'Write a text.' }
  const body =
    media === 'images'
      ? { model, prompt: draft.text, ...asked('size', draft.size), ...asked('quality', draft.quality) }
      : { model, input: draft.text, voice: draft.voice, response_format: draft.format }
  return { body, problem: null }
}

/** What is left to the model is not sent: not every model knows the word. */
function asked(name: string, value: string) {
  return value === 'auto' ? {} : { [name]: value }
}

export interface MadeImage {
  /** Null: the provider keeps it, at `url`. */
  source: string | null
  url: string | null
  name: string
}

/** The images of an answer. Their bytes say what they are. */
export function imagesOf(body: unknown): MadeImage[] {
  const { data } = (body ?? {}) as { data?: { b64_json?: unknown; url?: unknown }[] }
  return (Array.isArray(data) ? data : []).map(({ b64_json: bytes, url }, index) => {
    const type = typeof bytes === 'string' ? typeOf(bytes) : 'png'
    return {
      source: typeof bytes === 'string' ? `data:image/${type};base64,${bytes}` : null,
      url: typeof url === 'string' && /^https?:/.test(url) ? url : null,
      name: `image-${index + 1}.${type}`,
    }
  })
}

function typeOf(base64: string): string {
  if (base64.startsWith('/9j/')) return 'jpeg'
  return base64.startsWith('UklGR') ? 'webp' : 'png'
}
