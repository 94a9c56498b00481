import { streamMessage } from '../anthropic/events.ts'
import { fragmentsOf, wordsOf } from '../fragments.ts'
import { type JsonObject, objectOrEmpty, objectsIn } from '../json.ts'
import type { Phase, StreamEvent } from '../stream/script.ts'

/** Every event is filled up to hide its length. */
const PADDING = 'abcdefghijkl'

/** An answer of Converse as its events: usage comes last, after the reason why it stopped. */
export function* streamConverse(answer: JsonObject): Iterable<StreamEvent> {
  const { output, stopReason, usage, metrics, serviceTier } = answer
  yield eventOf('start', 'messageStart', { role: 'assistant' })
  const content = objectsIn(objectOrEmpty(objectOrEmpty(output)['message'])['content'])
  for (const [contentBlockIndex, block] of content.entries()) {
    const { toolUse } = block
    const isThought = block['reasoningContent'] !== undefined
    const phase: Phase = isThought ? 'start' : 'content'
    if (toolUse !== undefined) {
      const { toolUseId, name } = objectOrEmpty(toolUse)
      yield eventOf(phase, 'contentBlockStart', { contentBlockIndex, start: { toolUse: { toolUseId, name } } })
    }
    for (const delta of deltasOf(block)) yield eventOf(phase, 'contentBlockDelta', { contentBlockIndex, delta })
    yield eventOf(phase, 'contentBlockStop', { contentBlockIndex })
  }
  yield eventOf('finish', 'messageStop', { stopReason })
  yield eventOf('done', 'metadata', { usage, metrics, ...(serviceTier === undefined ? {} : { serviceTier }) })
}

function eventOf(phase: Phase, event: string, data: JsonObject): StreamEvent {
  return { phase, event, data: { ...data, p: PADDING } }
}

function* deltasOf({ text, toolUse, reasoningContent }: JsonObject): Iterable<JsonObject> {
  if (typeof text === 'string') for (const piece of wordsOf(text)) yield { text: piece }
  if (toolUse !== undefined) {
    for (const input of fragmentsOf(JSON.stringify(objectOrEmpty(toolUse)['input']))) yield { toolUse: { input } }
  }
  const thought = objectOrEmpty(objectOrEmpty(reasoningContent)['reasoningText'])
  if (reasoningContent === undefined) return
  for (const piece of wordsOf(thought['text'])) yield { reasoningContent: { text: piece } }
  yield { reasoningContent: { signature: thought['signature'] } }
}

/** The vendor's own events, in base64. There are no pings. */
export function* streamInvoke(message: JsonObject): Iterable<StreamEvent> {
  for (const { phase, event, data } of streamMessage(message)) {
    if (event === 'ping') continue
    const metrics = event === 'message_stop' ? { 'amazon-bedrock-invocationMetrics': { invocationLatency: 12 } } : {}
    const bytes = Buffer.from(JSON.stringify({ ...objectOrEmpty(data), ...metrics })).toString('base64')
    yield { phase, event: 'chunk', data: { bytes, p: PADDING } }
  }
}
