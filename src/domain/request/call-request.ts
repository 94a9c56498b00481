/** The fields of any JSON object. */
export type JsonObject = Record<string, unknown>

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** What a call asks of a model. */
export type Operation =
  | 'chat'
  | 'embeddings'
  | 'rerank'
  | 'moderations'
  | 'completions'
  | 'transcription'
  | 'speech'
  | 'images'

/** The public formats; several share an operation. A family offers a translator for each format that it speaks. */
export type EndpointName =
  | 'chat'
  | 'embeddings'
  | 'messages'
  | 'count_tokens'
  | 'responses'
  | 'generate_content'
  | 'count_content_tokens'
  | 'embed_content'
  | 'batch_embed_contents'
  | 'rerank'
  | 'images'
  | 'image_edits'
  | 'moderations'
  | 'completions'
  | 'passthrough'
  | 'transcriptions'
  | 'translations'
  | 'speech'

const OPERATIONS: ReadonlyMap<string, Operation> = new Map([
  ['chat', 'chat'],
  ['embedding', 'embeddings'],
  ['rerank', 'rerank'],
  ['image_generation', 'images'],
  ['moderation', 'moderations'],
  ['completion', 'completions'],
  ['audio_transcription', 'transcription'],
  ['audio_speech', 'speech'],
])

/** The operation that a model serves, by its mode in the registry; null when that is unknown. */
export function operationOfMode(mode: string | undefined): Operation | null {
  return OPERATIONS.get(mode ?? '') ?? null
}

/** A validated request of any endpoint. The kernel reads only its model; endpoints and translators read the rest. */
export interface CallRequest extends JsonObject {
  model: string
}
