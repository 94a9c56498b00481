import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'

/** UTF-8 bytes of what the model says, thinks or asks of a tool in an event. */
export function generatedBytes({ type, delta, content_block: block }: JsonObject): number {
  if (type === 'content_block_delta') return isJsonObject(delta) ? deltaBytes(delta) : 0
  return type === 'content_block_start' && isJsonObject(block) ? startBytes(block) : 0
}

/** Signatures and citations are not generated. */
function deltaBytes({ text, thinking, partial_json: input, content }: JsonObject): number {
  return bytesOf(text) + bytesOf(thinking) + bytesOf(input) + bytesOf(content)
}

/** A result of the provider's own tools is no output, but shows that the answer has begun. */
function startBytes({ type, text, thinking, data, name, input }: JsonObject): number {
  if (typeof type === 'string' && type.endsWith('_result')) return 1
  const hasInput = isJsonObject(input) && Object.keys(input).length > 0
  return (
    bytesOf(text) + bytesOf(thinking) + bytesOf(data) + bytesOf(name) + (hasInput ? bytesOf(JSON.stringify(input)) : 0)
  )
}

function bytesOf(value: unknown): number {
  return typeof value === 'string' ? Buffer.byteLength(value) : 0
}
