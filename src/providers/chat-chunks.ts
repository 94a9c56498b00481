import type { Answer } from '../domain/request/answer.ts'
import { isJsonObject, type JsonObject } from '../domain/request/call-request.ts'
import type { Chunk, StreamPart } from '../domain/request/stream.ts'

/** A whole chat completion as the chunks of a stream: what each choice says, then why each has ended. */
export function partsOf({ body, finishReason, warning, reasoning = [] }: Answer): StreamPart[] {
  const { choices, usage: _usage, object: _object, ...common } = body
  const listed = Array.isArray(choices) ? choices.filter(isJsonObject) : []
  const contents = listed.map(({ message, ...choice }) => {
    return { ...choice, delta: isJsonObject(message) ? deltaOf(message) : {}, finish_reason: null }
  })
  const ends = listed.map(({ index, finish_reason: reason }) => ({ index, delta: {}, finish_reason: reason ?? 'stop' }))
  const chunk = (choice: JsonObject, isEnd: boolean): Chunk => {
    const value = { object: 'chat.completion.chunk', ...common, choices: [choice] }
    return { type: 'chunk', json: JSON.stringify(value), value, contentBytes: contentBytesOf(choice), isEnd }
  }
  return [
    ...reasoning.map((block): StreamPart => ({ type: 'reasoning-end', block })),
    ...contents.map((choice) => chunk(choice, false)),
    ...ends.map((choice) => chunk(choice, true)),
    { type: 'message-end', finishReason: finishReason ?? 'stop', warning },
  ]
}

/** Calls in a delta have an index. */
function deltaOf(message: JsonObject): JsonObject {
  const calls = message['tool_calls']
  if (!Array.isArray(calls)) return message
  return { ...message, tool_calls: calls.map((call, index) => ({ index, ...call })) }
}

/** UTF-8 bytes of what a choice of a chunk says, reasoning included. */
export function contentBytesOf({ delta }: JsonObject): number {
  if (!isJsonObject(delta)) return 0
  const { content, refusal, tool_calls: calls, function_call: called, audio } = delta
  const reasoning = delta['reasoning_content'] ?? delta['reasoning']
  return (
    textBytes(content) +
    textBytes(refusal) +
    textBytes(reasoning) +
    textBytes(calls) +
    textBytes(called) +
    textBytes(audio)
  )
}

/** Names that hold no generated text. */
const LABELS: ReadonlySet<string> = new Set(['id', 'type', 'index', 'signature', 'extra_content'])

/** Deeper than any delta. */
const MOST_LEVELS = 8

function textBytes(value: unknown, level = 0): number {
  if (value === null || value === undefined) return 0
  if (typeof value === 'string') return value === '' ? 0 : Buffer.byteLength(value)
  if (typeof value !== 'object' || level > MOST_LEVELS) return 0
  let bytes = 0
  for (const name in value) if (!LABELS.has(name)) bytes += textBytes((value as JsonObject)[name], level + 1)
  return bytes
}
