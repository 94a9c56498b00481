import { fragmentsOf, wordsOf } from '../fragments.ts'
import { type JsonObject, objectOrEmpty, objectsIn } from '../json.ts'
import type { Phase, StreamEvent } from '../stream/script.ts'

/** A chat completion as the chunks that stream it: the same texts, calls, reasons and usage. */
export function* streamCompletion(completion: JsonObject, body: JsonObject): Iterable<StreamEvent> {
  const options = objectOrEmpty(body['stream_options'])
  const includesUsage = options['include_usage'] === true
  const { id, created, model, service_tier, system_fingerprint, usage } = completion
  const chunk = (phase: Phase, choices: JsonObject[], more: JsonObject = {}): StreamEvent => {
    const data: JsonObject = { id, object: 'chat.completion.chunk', created, model, service_tier, system_fingerprint }
    Object.assign(data, { choices }, includesUsage ? { usage: null } : {}, more)
    if (phase === 'content' && options['include_obfuscation'] !== false) data['obfuscation'] = filler()
    return { phase, data }
  }
  const choices = objectsIn(completion['choices'])
  for (const { index, message } of choices) {
    const { content } = objectOrEmpty(message)
    const delta = { role: 'assistant', content: content === null ? null : '', refusal: null }
    yield chunk('start', [{ index, delta, logprobs: null, finish_reason: null }])
  }
  // The vendor's choices arrive interleaved.
  let running = choices.map((choice) => ({ index: choice['index'], deltas: deltasOf(choice), isOver: false }))
  while (running.length > 0) {
    for (const choice of running) {
      const { value, done } = choice.deltas.next()
      choice.isOver = done === true
      if (!done) yield chunk('content', [{ index: choice.index, ...value, finish_reason: null }])
    }
    running = running.filter(({ isOver }) => !isOver)
  }
  for (const { index, finish_reason } of choices) {
    yield chunk('finish', [{ index, delta: {}, logprobs: null, finish_reason }])
  }
  if (includesUsage) yield chunk('finish', [], { usage })
  yield { phase: 'done', data: '[DONE]' }
}

interface ChoiceDelta {
  delta: JsonObject
  logprobs: JsonObject | null
}

function* deltasOf({ message, logprobs }: JsonObject): Generator<ChoiceDelta, undefined> {
  const { content, refusal, reasoning_content, tool_calls, function_call } = objectOrEmpty(message)
  const of = (delta: JsonObject): ChoiceDelta => ({ delta, logprobs: null })
  for (const text of wordsOf(reasoning_content)) yield of({ reasoning_content: text })
  const tokens = objectsIn(objectOrEmpty(logprobs)['content'])
  let token = 0
  for (const text of wordsOf(content)) {
    const entry = tokens[token++]
    yield { delta: { content: text }, logprobs: entry ? { content: [entry], refusal: null } : null }
  }
  for (const text of wordsOf(refusal)) yield of({ refusal: text })
  for (const [index, { id, type, function: called, custom }] of objectsIn(tool_calls).entries()) {
    const { name, arguments: text, input } = objectOrEmpty(called ?? custom)
    if (type === 'custom') {
      yield of({ tool_calls: [{ index, id, type, custom: { name, input: '' } }] })
      for (const part of fragmentsOf(input)) yield of({ tool_calls: [{ index, custom: { input: part } }] })
      continue
    }
    yield of({ tool_calls: [{ index, id, type, function: { name, arguments: '' } }] })
    for (const part of fragmentsOf(text)) yield of({ tool_calls: [{ index, function: { arguments: part } }] })
  }
  const legacy = objectOrEmpty(function_call)
  if (legacy['name'] === undefined) return
  yield of({ function_call: { name: legacy['name'], arguments: '' } })
  for (const part of fragmentsOf(legacy['arguments'])) yield of({ function_call: { arguments: part } })
}

const FILLER = 'kTq0vZ3mXw8RbYd5'

function filler(): string {
  return FILLER.slice(Math.floor(Math.random() * FILLER.length))
}
