/** The fields of any JSON object. */
export type JsonObject = Record<string, unknown>

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** What a call asks of a provider. A family offers one translator per operation. */
export type Operation = 'chat' | 'embeddings'

/** The public formats. Several may share an operation. */
export type EndpointName = 'chat' | 'embeddings'

/** The operation that a model serves, by its mode in the registry; null when that is unknown. */
export function operationOfMode(mode: string | undefined): Operation | null {
  return mode === 'chat' ? 'chat' : mode === 'embedding' ? 'embeddings' : null
}

/** A validated request of any endpoint. The kernel reads only its model; endpoints and translators read the rest. */
export interface CallRequest extends JsonObject {
  model: string
}
