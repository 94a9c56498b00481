import { type Provider, withoutSecrets } from '../domain/provider.ts'
import type { CallRequest } from '../domain/request/call-request.ts'
import type { Family, Reading, Translator } from './family.ts'

/** What is needed to read an answer. */
export interface ReplyReader {
  provider: Provider
  family: Family
  translator: Translator
  request: CallRequest
}

/** The body of an upstream answer, by meaning. `unreadable`: it should be JSON and is not. */
export function readReply(
  status: number,
  body: Buffer,
  { provider, family, translator, request }: ReplyReader,
): Reading | { kind: 'unreadable' } {
  if (status < 200 || status > 299) {
    const words = looseJson(withoutSecrets(body.toString('utf8'), provider))
    return { kind: 'failure', failure: family.failureFromWire(status, words) }
  }
  let value: unknown
  try {
    value = JSON.parse(body.toString('utf8'))
  } catch {
    return { kind: 'unreadable' }
  }
  const reading = translator.fromWire(value, request)
  if (reading.kind === 'answer') return reading
  const message = withoutSecrets(reading.failure.message, provider)
  return { kind: 'failure', failure: { ...reading.failure, message } }
}

/** Error bodies are usually JSON; a proxy in between may send anything. */
function looseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
