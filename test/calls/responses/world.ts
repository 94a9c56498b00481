import { type Answered, type Harness, type HarnessOptions, KEY, startHarness } from '../../harness.ts'

/** The simulator's address is not the vendor's: only this says that it speaks the Responses API. */
export const NATIVE = 'providers: { openai: { speaks: [responses] } }'

/** A provider that speaks the format, one that speaks only chat, and one of another family. */
export const WAYS = [
  { way: 'native', config: NATIVE, prefix: 'gpt' },
  { way: 'as chat', config: '', prefix: 'gpt' },
  { way: 'as chat of another family', config: '', prefix: 'claude' },
] as const

export interface ResponsesWorld extends Harness {
  respond(body: unknown, headers?: Record<string, string>): Promise<Answered>
}

export async function startResponses(options: HarnessOptions = {}): Promise<ResponsesWorld> {
  const harness = await startHarness({
    ...options,
    environment: { STREAMING: 'on', ...options.environment },
  })
  return {
    ...harness,
    async respond(body, headers = {}) {
      const response = await fetch(`${harness.url}/v1/responses`, {
        method: 'POST',
        headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      })
      const text = await response.text()
      let json: unknown = null
      try {
        json = JSON.parse(text)
      } catch {
        // A stream.
      }
      return { status: response.status, headers: response.headers, text, json }
    },
  }
}
