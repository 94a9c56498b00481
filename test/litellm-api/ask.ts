import { ADMIN_KEY, type Answered, type Harness } from '../harness.ts'

export interface Wire {
  method: 'GET' | 'POST'
  path: string
  body?: unknown
  /** What the tool sends beside its key. */
  headers?: Record<string, string>
  key?: string
}

/** Sends a request as a tool of LiteLLM does: bearer and JSON. */
export async function ask(url: string, { method, path, body, headers = {}, key = ADMIN_KEY }: Wire): Promise<Answered> {
  const response = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, json: text === '' ? null : JSON.parse(text) }
}

export function asking(harness: () => Harness) {
  return (wire: Wire) => ask(harness().url, wire)
}

/** The kind of every value, so that a change of type or of a null is seen. */
export function kindsOf(value: object): Record<string, string> {
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      each === null ? 'null' : Array.isArray(each) ? 'list' : typeof each,
    ]),
  )
}
