import type { JsonObject } from '../domain/chat.ts'
import { failure } from '../domain/failure.ts'
import { withoutSecrets } from '../domain/provider.ts'
import { FAMILIES } from '../providers/families.ts'
import type { ReadReply, ReplyToRead, Stamp } from './protocol.ts'

export function readReply(body: Buffer, { status, family, provider, request, stamp }: ReplyToRead): ReadReply {
  const reader = FAMILIES.get(family)
  if (reader === undefined) throw new Error(`there is no family '${family}'`)
  if (status < 200 || status > 299) {
    const words = looseJson(withoutSecrets(body.toString('utf8'), provider))
    return { kind: 'failed', failure: reader.failureFromWire(status, words) }
  }
  let value: unknown
  try {
    value = JSON.parse(body.toString('utf8'))
  } catch {
    const message = 'The provider sent JSON that cannot be read.'
    return { kind: 'failed', failure: failure('upstream_error', message, status, { retry: 'once' }) }
  }
  const reading = reader.fromWire(value, request)
  if (reading.kind === 'failure') {
    const message = withoutSecrets(reading.failure.message, provider)
    return { kind: 'failed', failure: { ...reading.failure, message } }
  }
  const { completion, ...rest } = reading.answer
  return { kind: 'answered', ...rest, text: completionText(completion, stamp) }
}

function completionText(completion: JsonObject, { id, model, created }: Stamp): Buffer<ArrayBuffer> | null {
  const whole: JsonObject = { id, object: 'chat.completion', created, model, ...completion }
  whole['id'] = id
  whole['model'] = model
  if (!Number.isInteger(whole['created'])) whole['created'] = created
  try {
    return Buffer.from(JSON.stringify(whole))
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

function looseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
