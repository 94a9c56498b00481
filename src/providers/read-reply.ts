import { cleaned, isCallersFault } from '../domain/failure.ts'
import { type Provider, withoutSecrets } from '../domain/provider.ts'
import { type CallRequest, isJsonObject } from '../domain/request/call-request.ts'
import { looseJson } from '../domain/request/loose-json.ts'
import type { Family, Reading, ResponseHeader, Translator } from './family.ts'

/** What is needed to read an answer. */
export interface ReplyReader {
  provider: Provider
  family: Family
  translator: Translator
  request: CallRequest
  /** The model that was asked. */
  model: string
  header: ResponseHeader
}

/** The body of an upstream answer, by meaning. `unreadable`: it should be JSON and is not. */
export function readReply(
  status: number,
  body: Buffer,
  { provider, family, translator, request, model, header }: ReplyReader,
): Reading | { kind: 'unreadable' } {
  if (status < 200 || status > 299) {
    const text = withoutSecrets(body.toString('utf8'), provider)
    const words = looseJson(text)
    const failed = family.failureFromWire(status, words, header)
    const isOurFormat = translator.isVerbatim === true && translator.hasForeignErrors !== true
    if (isOurFormat && isCallersFault(failed) && isJsonObject(words)) failed.original = text
    return { kind: 'failure', failure: failed }
  }
  const json = body.toString('utf8')
  const text = translator.textOf?.(json, request) ?? null
  if (text !== null) return { kind: 'answer', answer: text }
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch {
    return { kind: 'unreadable' }
  }
  const reading = translator.fromWire(value, request, model)
  if (reading.kind === 'answer') {
    if (translator.isVerbatim === true && reading.answer.body === value) reading.answer.json = json
    return reading
  }
  return { kind: 'failure', failure: cleaned(reading.failure, (words) => withoutSecrets(words, provider)) }
}
