import { isJsonObject, type JsonObject } from '../domain/request/call-request.ts'
import type { StreamPart } from '../domain/request/stream.ts'

/** Chat chunks as parts, for endpoints that write another format. Of several choices the first is meant. */
export class Unchunked {
  readonly #started = new Set<number>()

  parts(parts: readonly StreamPart[]): StreamPart[] {
    return parts.flatMap((part) => (part.type === 'chunk' ? this.#ofChunk(part.value) : [part]))
  }

  #ofChunk({ choices }: JsonObject): StreamPart[] {
    const choice: unknown = Array.isArray(choices) ? choices.find(isFirst) : undefined
    const delta = isJsonObject(choice) ? choice['delta'] : undefined
    if (!isJsonObject(delta)) return []
    const parts: StreamPart[] = []
    const add = (type: 'text-delta' | 'refusal-delta' | 'reasoning-delta', text: unknown) => {
      if (typeof text === 'string' && text !== '') parts.push({ type, text })
    }
    add('reasoning-delta', delta['reasoning_content'] ?? delta['reasoning'])
    add('text-delta', delta['content'])
    add('refusal-delta', delta['refusal'])
    const calls = delta['tool_calls']
    if (Array.isArray(calls)) for (const call of calls) if (isJsonObject(call)) parts.push(...this.#ofCall(call))
    return parts
  }

  #ofCall({ index, id, function: called, custom }: JsonObject): StreamPart[] {
    const at = typeof index === 'number' ? index : 0
    const given = isJsonObject(called) ? called : isJsonObject(custom) ? custom : {}
    const parts: StreamPart[] = []
    if (!this.#started.has(at)) {
      this.#started.add(at)
      const name = typeof given['name'] === 'string' ? given['name'] : ''
      parts.push({ type: 'tool-call-start', index: at, id: typeof id === 'string' ? id : `call_${at}`, name })
    }
    const text = given['arguments'] ?? given['input']
    if (typeof text === 'string' && text !== '') parts.push({ type: 'tool-input-delta', index: at, text })
    return parts
  }
}

function isFirst(choice: unknown): boolean {
  return isJsonObject(choice) && (choice['index'] ?? 0) === 0
}
