/** A JSON object's own fields, whatever they are. */
export type JsonObject = Record<string, unknown>

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** What a call asks a provider to do. A family offers a translator for each operation that it knows. */
export type Operation = 'chat' | 'embeddings'

/** The public formats. Several may ask for the same operation. */
export type EndpointName = 'chat' | 'embeddings'

/** What a model is for by its mode in the registry; null where that says nothing. */
export function operationOfMode(mode: string | undefined): Operation | null {
  return mode === 'chat' ? 'chat' : mode === 'embedding' ? 'embeddings' : null
}

/** A checked request of any endpoint. The kernel knows its model; endpoints and translators know the rest. */
export interface CallRequest extends JsonObject {
  model: string
}
