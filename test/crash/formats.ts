/** The formats that callers speak: each has its own path, and the promises hold for all of them. */
export const FORMATS = ['chat', 'messages', 'responses'] as const
export type Format = (typeof FORMATS)[number]

const LIMIT = 100
const asMessages = (content: string) => ({ max_tokens: LIMIT, messages: [{ role: 'user', content }] })

const SHAPES: Record<Format, { path: string; fields(text: string): object }> = {
  chat: { path: '/v1/chat/completions', fields: asMessages },
  messages: { path: '/v1/messages', fields: asMessages },
  responses: { path: '/v1/responses', fields: (input) => ({ max_output_tokens: LIMIT, store: false, input }) },
}

/** A request whose text names the call, for the provider to see. */
export function requestIn(format: Format, model: string, token: string, isStreamed: boolean) {
  const { path, fields } = SHAPES[format]
  const body = { model, ...fields(`Who are you, #${token}`), ...(isStreamed ? { stream: true } : {}) }
  return { path, body: JSON.stringify(body) }
}

/** Whole answers of other formats may keep the id that the provider gave. */
export function hasOurId(format: Format): boolean {
  return format === 'chat'
}
