import { endpointNamed } from '../endpoints/endpoints.ts'
import { readReply } from '../providers/read-reply.ts'
import { familyNamed, translatorOf } from './destination.ts'
import type { ReadAnswer, ReplyToRead } from './protocol.ts'

/** Reads an upstream answer and writes the caller's answer from it. */
export function readAnswer(body: Buffer, reply: ReplyToRead): ReadAnswer {
  const { status, provider, model, request, headers } = reply
  const endpoint = endpointNamed(reply.endpoint)
  const translator = translatorOf({ ...provider, model }, endpoint)
  const reader = {
    provider,
    family: familyNamed(reply.family),
    translator,
    request,
    model,
    header: (name: string) => headers[name],
  }
  const reading = readReply(status, body, reader)
  if (reading.kind !== 'answer') return reading
  const { body: _, json: _json, reasoning: _reasoning, ...rest } = reading.answer
  return {
    kind: 'answer',
    answer: { ...rest, text: textOf(() => endpoint.write(reading.answer, reply.stamp, request)) },
  }
}

function textOf(write: () => string): Buffer<ArrayBuffer> | null {
  try {
    return Buffer.from(write())
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}
