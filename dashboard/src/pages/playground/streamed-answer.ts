/** A streamed completion put together as a whole one would look, so that both are shown the same way. */
export interface StreamedBody {
  choices: { finish_reason: string | null; message: { content: string | null; tool_calls: StreamedCall[] } }[]
  usage?: unknown
  error?: unknown
  x_gateway?: Record<string, unknown>
}

interface StreamedCall {
  function: { name: string; arguments: string }
}

interface Delta {
  content?: string | null
  refusal?: string | null
  tool_calls?: { index: number; function?: { name?: string; arguments?: string } }[]
}

interface Chunk {
  choices?: { index: number; delta?: Delta; finish_reason?: string | null }[]
  usage?: unknown
  error?: unknown
  x_gateway?: Record<string, unknown>
}

export const NOTHING_STREAMED: StreamedBody = {
  choices: [{ finish_reason: null, message: { content: null, tool_calls: [] } }],
}

/** The answer so far with one more event. */
export function withEvent(body: StreamedBody, data: string): StreamedBody {
  if (data === '[DONE]') return body
  const chunk = JSON.parse(data) as Chunk
  const { usage, error, x_gateway: gateway } = chunk
  const choice = chunk.choices?.find(({ index }) => index === 0)
  const [before] = body.choices
  return {
    ...body,
    ...(usage === undefined || usage === null ? {} : { usage }),
    ...(error === undefined ? {} : { error }),
    ...(gateway === undefined ? {} : { x_gateway: gateway }),
    choices:
      choice === undefined || before === undefined
        ? body.choices
        : [
            {
              finish_reason: choice.finish_reason ?? before.finish_reason,
              message: withDelta(before.message, choice.delta ?? {}),
            },
          ],
  }
}

type Message = StreamedBody['choices'][number]['message']

function withDelta(message: Message, { content, refusal, tool_calls: fragments = [] }: Delta): Message {
  const calls = [...message.tool_calls]
  for (const { index, function: called } of fragments) {
    const known = calls[index]?.function ?? { name: '', arguments: '' }
    calls[index] = {
      function: { name: called?.name ?? known.name, arguments: known.arguments + (called?.arguments ?? '') },
    }
  }
  const text = content ?? refusal ?? ''
  return { content: text === '' ? message.content : (message.content ?? '') + text, tool_calls: calls }
}

/** The data of the whole events of a text, and the rest, which is the beginning of the next one. */
export function splitEvents(text: string): { events: string[]; rest: string } {
  const frames = text.split('\n\n')
  const rest = frames.pop() ?? ''
  const lines = frames.flatMap((frame) => frame.split('\n'))
  return { events: lines.filter((line) => line.startsWith('data: ')).map((line) => line.slice(6)), rest }
}
