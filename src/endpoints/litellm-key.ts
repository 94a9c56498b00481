import type { WithHeaders } from './endpoint.ts'

/** The headers in which LiteLLM's clients send a key; the first that is there counts. */
const HEADERS = ['authorization', 'x-api-key', 'api-key', 'x-litellm-api-key']

/** The key as sent, with or without `Bearer`; null: there is none. */
export function litellmKey(call: WithHeaders): string | null {
  for (const name of HEADERS) {
    const value = /^(?:Bearer +)?(\S+) *$/i.exec(call.header(name) ?? '')?.[1]
    if (value !== undefined) return value
  }
  return null
}
