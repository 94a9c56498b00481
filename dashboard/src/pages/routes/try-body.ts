export type TryBody = { body: Record<string, unknown>; problem: null } | { body: null; problem: string }

/** A small chat request: one message, and any further fields to try. */
export function tryBody(alias: string, message: string, more: string): TryBody {
  const base = { model: alias, messages: [{ role: 'user', content: message }] }
  if (more.trim() === '') return { body: base, problem: null }
  try {
    const fields: unknown = JSON.parse(more)
    if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) throw new Error('not an object')
    return { body: { ...base, ...fields, model: alias }, problem: null }
  } catch {
    return { body: null, problem: 'This is not a JSON object' }
  }
}

interface WireAnswer {
  choices?: { message?: { content?: string | null; tool_calls?: unknown[] } }[]
  error?: { code?: string; message?: string }
}

/** What a person looks for in an answer: its text, or the error. */
export function answerText(body: unknown): { text: string; code: string | null } {
  const { choices, error } = (body ?? {}) as WireAnswer
  if (error !== undefined) return { text: error.message ?? '', code: error.code ?? '' }
  const message = choices?.[0]?.message
  const calls = message?.tool_calls ?? []
  const text = message?.content ?? ''
  if (text === '' && calls.length > 0) return { text: JSON.stringify(calls, null, 2), code: null }
  return { text, code: null }
}
