import type { Shape } from './shapes.ts'

interface Made {
  path: string
  body: Record<string, unknown>
}

/** Where an endpoint is, and a request of a given size to it. */
const ENDPOINTS: Readonly<Record<string, { path: string; body(prompt: string, output: number): Made['body'] }>> = {
  chat: {
    path: '/v1/chat/completions',
    body: (content, output) => ({ messages: [{ role: 'user', content }], max_tokens: output }),
  },
  messages: {
    path: '/v1/messages',
    body: (content, output) => ({ messages: [{ role: 'user', content }], max_tokens: output }),
  },
  responses: { path: '/v1/responses', body: (input, output) => ({ input, max_output_tokens: output, store: false }) },
  embeddings: { path: '/v1/embeddings', body: (input) => ({ input }) },
}

const LEAST_OUTPUT = 16
const MOST_OUTPUT = 1_024

export function isComparable({ endpoint }: Pick<Shape, 'endpoint'>): boolean {
  return endpoint in ENDPOINTS
}

/** A call of that shape with words that mean nothing: no prompt leaves the gateway. */
export function syntheticCall({ endpoint, model, isStreamed, promptTokens, outputTokens }: Shape): Made {
  const { path, body } = endpointOf(endpoint)
  const output = Math.min(Math.max(outputTokens, LEAST_OUTPUT), MOST_OUTPUT)
  return { path, body: { model, ...body(words(promptTokens), output), ...streaming(endpoint, isStreamed) } }
}

/** The request as it was stored. */
export function storedCall(shape: Shape, stored: Record<string, unknown>): Made {
  return { path: endpointOf(shape.endpoint).path, body: { ...stored, model: shape.model } }
}

function endpointOf(name: string) {
  const found = ENDPOINTS[name]
  if (found === undefined) throw new TypeError(`no requests are made for ${name}`)
  return found
}

/** Chat tells what a stream has used only when asked. */
function streaming(endpoint: string, isStreamed: boolean): Made['body'] {
  if (!isStreamed) return {}
  return endpoint === 'chat' ? { stream: true, stream_options: { include_usage: true } } : { stream: true }
}

const WORDS = ['river', 'table', 'green', 'seven', 'paper', 'light', 'stone', 'cloud']

/** About one token each. */
function words(count: number): string {
  const text = Array.from({ length: Math.max(count - 8, 1) }, (_, index) => WORDS[index % WORDS.length])
  return `Say hello. ${text.join(' ')}`
}
