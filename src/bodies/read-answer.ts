import { stamped } from '../endpoints/chat-completions/write.ts'
import { FAMILIES } from '../providers/families.ts'
import type { Answer } from '../providers/family.ts'
import { readReply } from '../providers/read-reply.ts'
import type { ReadAnswer, ReplyToRead } from './protocol.ts'

/** Reads an upstream answer, and writes what the caller gets of it. */
export function readAnswer(body: Buffer, { status, family, provider, request, stamp }: ReplyToRead): ReadAnswer {
  const reader = FAMILIES.get(family)
  if (reader === undefined) throw new Error(`there is no family '${family}'`)
  const reading = readReply(status, body, { provider, family: reader, request })
  if (reading.kind !== 'answer') return reading
  const { completion, ...rest } = reading.answer
  return { kind: 'answer', answer: { ...rest, text: textOf(completion, stamp) } }
}

function textOf(completion: Answer['completion'], stamp: ReplyToRead['stamp']): Buffer<ArrayBuffer> | null {
  try {
    return Buffer.from(JSON.stringify(stamped(completion, stamp)))
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}
