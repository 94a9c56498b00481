/** The fields of any JSON object. */
export type JsonObject = Record<string, unknown>

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** What a model of a mode, as the registry has it, is asked for. */
const OPERATIONS = {
  chat: 'chat',
  embedding: 'embeddings',
  rerank: 'rerank',
  image_generation: 'images',
  moderation: 'moderations',
  completion: 'completions',
  audio_transcription: 'transcription',
  audio_speech: 'speech',
} as const

/** What a call asks of a model. */
export type Operation = (typeof OPERATIONS)[keyof typeof OPERATIONS]

const OPERATION_OF: ReadonlyMap<string, Operation> = new Map(Object.entries(OPERATIONS))

/** The operation that a model serves, by its mode in the registry; null when that is unknown. */
export function operationOfMode(mode: string | undefined): Operation | null {
  return OPERATION_OF.get(mode ?? '') ?? null
}

/** The public formats; several share an operation. A family offers a translator for each format that it speaks. */
export const ENDPOINT_NAMES = [
  'chat',
  'embeddings',
  'messages',
  'count_tokens',
  'responses',
  'generate_content',
  'count_content_tokens',
  'embed_content',
  'batch_embed_contents',
  'rerank',
  'moderations',
  'completions',
  'passthrough',
  'transcriptions',
  'translations',
  'speech',
  'images',
  'image_edits',
] as const
export type EndpointName = (typeof ENDPOINT_NAMES)[number]

/** A validated request of any endpoint. The kernel reads only its model; endpoints and translators read the rest. */
export interface CallRequest extends JsonObject {
  model: string
}
