/** A gateway to compare, and the key to call it with. */
export interface Side {
  /** Without a slash at the end, and without /v1. */
  url: string
  key: string
}

export interface Outcome {
  /** 0: no answer came. */
  status: number
  /** The model that the answer names. */
  model: string | null
  promptTokens: number | null
  outputTokens: number | null
  costUsd: string | null
  ms: number
  requestId: string | null
}

const COST_HEADERS = ['x-gateway-cost-usd', 'x-litellm-response-cost']
const LONGEST_MS = 600_000

/** One call, its answer read to the end. What it says is not kept. */
export async function ask({ url, key }: Side, { path, body }: { path: string; body: unknown }): Promise<Outcome> {
  const begun = performance.now()
  try {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(LONGEST_MS),
    })
    const text = await response.text()
    const cost = COST_HEADERS.map((name) => response.headers.get(name)).find((value) => value !== null) ?? null
    const requestId = response.headers.get('x-gateway-request-id')
    return { status: response.status, ...read(text), costUsd: cost, ms: performance.now() - begun, requestId }
  } catch {
    const nothing = { model: null, promptTokens: null, outputTokens: null, costUsd: null, requestId: null }
    return { status: 0, ...nothing, ms: performance.now() - begun }
  }
}

type Json = Record<string, unknown>

/** Model and usage, of an answer or of the events of a stream. */
export function read(text: string): Pick<Outcome, 'model' | 'promptTokens' | 'outputTokens'> {
  const parts = text.trimStart().startsWith('{') ? [parsed(text)] : [...events(text)]
  const found: Pick<Outcome, 'model' | 'promptTokens' | 'outputTokens'> = {
    model: null,
    promptTokens: null,
    outputTokens: null,
  }
  for (const part of parts) {
    for (const inner of [part, part?.['message'], part?.['response']]) {
      const { model, usage } = isObject(inner) ? inner : {}
      if (typeof model === 'string') found.model = model
      if (!isObject(usage)) continue
      found.promptTokens = promptOf(usage) ?? found.promptTokens
      found.outputTokens = count(usage['completion_tokens'] ?? usage['output_tokens']) ?? found.outputTokens
    }
  }
  return found
}

/** In Messages, what came from a cache is counted apart. */
function promptOf(usage: Json): number | null {
  const whole = count(usage['prompt_tokens'] ?? usage['input_tokens'])
  const cached = [usage['cache_read_input_tokens'], usage['cache_creation_input_tokens']].map(
    (value) => count(value) ?? 0,
  )
  return whole === null ? null : cached.reduce((sum, tokens) => sum + tokens, whole)
}

function count(value: unknown): number | null {
  return typeof value === 'number' ? value : null
}

function* events(text: string): Generator<Json | null> {
  for (const line of text.split('\n')) if (line.startsWith('data:')) yield parsed(line.slice(5))
}

function parsed(text: string): Json | null {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
