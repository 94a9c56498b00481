import type { Draft } from '../../components/playground-draft.ts'

export type Built = { body: Record<string, unknown>; problem: null } | { body: null; problem: string }

/** The body to send, or what is missing. */
export function buildRequest(draft: Draft): Built {
  if (draft.model === '') return { body: null, problem: 'Choose an alias or a model.' }
  const more = parseMore(draft.more)
  if (more === null) return { body: null, problem: 'More fields: this is not a JSON object.' }
  const messages = draft.messages
    .filter(({ content }) => content.trim() !== '')
    .map(({ role, content }) => ({ role, content }))
  // A replayed call may have messages that are more than text; they are sent as they were.
  if (messages.length === 0 && more['messages'] === undefined) return { body: null, problem: 'Write a message.' }
  const body: Record<string, unknown> = { model: draft.model, messages }
  if (draft.temperature !== null) body['temperature'] = draft.temperature
  if (draft.maxTokens !== null) body['max_tokens'] = draft.maxTokens
  if (draft.isStreamed) Object.assign(body, { stream: true, stream_options: { include_usage: true } })
  return { body: { ...body, ...more }, problem: null }
}

function parseMore(text: string): Record<string, unknown> | null {
  if (text.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null
  } catch {
    return null
  }
}

export interface Answer {
  text: string | null
  finishReason: string | null
  toolCalls: readonly { name: string; arguments: string }[]
  usage: { prompt: number; completion: number } | null
  error: { code: string; message: string } | null
}

interface WireAnswer {
  choices?: {
    finish_reason?: string
    message?: { content?: string | null; tool_calls?: { function?: { name?: string; arguments?: string } }[] }
  }[]
  /** Of images by other names, of speech none. */
  usage?: { prompt_tokens?: number; completion_tokens?: number; input_tokens?: number; output_tokens?: number }
  error?: { code?: string; message?: string }
}

/** Of a stream that has ended: how long it took; its header says when the first content came. */
export function streamedLatency(body: unknown): number | undefined {
  return (body as { x_gateway?: { latency_ms?: number } } | null)?.x_gateway?.latency_ms
}

/** The parts of an answer that a person looks for first. */
export function readAnswer(body: unknown): Answer {
  const { choices, usage, error } = (body ?? {}) as WireAnswer
  const message = choices?.[0]?.message
  return {
    text: message?.content ?? null,
    finishReason: choices?.[0]?.finish_reason ?? null,
    toolCalls: (message?.tool_calls ?? []).map((call) => ({
      name: call.function?.name ?? '',
      arguments: call.function?.arguments ?? '',
    })),
    usage: usage === undefined ? null : tokensOf(usage),
    error: error === undefined ? null : { code: error.code ?? '', message: error.message ?? '' },
  }
}

/** Null: it counts something else, such as seconds. */
function tokensOf(usage: NonNullable<WireAnswer['usage']>): Answer['usage'] {
  const [prompt, completion] = [
    usage.prompt_tokens ?? usage.input_tokens,
    usage.completion_tokens ?? usage.output_tokens,
  ]
  return prompt === undefined && completion === undefined ? null : { prompt: prompt ?? 0, completion: completion ?? 0 }
}
