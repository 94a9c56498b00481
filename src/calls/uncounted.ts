import { contentBytes } from '../domain/request/stream.ts'
import type { Candidate } from './chain/assess.ts'
import type { Admitted, ServedBy } from './stages.ts'
import { type Use, usageOf } from './stream/stream-usage.ts'

/** Of a whole answer that says nothing of its tokens. One that a worker has written is known by its length alone. */
export function uncountedWhole(answer: ServedBy['answer'], candidate: Candidate, call: Admitted): Use {
  let bytes = 'text' in answer ? (answer.text?.length ?? 0) : 0
  let otherBytes = 0
  if ('body' in answer) {
    const parts = candidate.translator.stream?.partsOf(answer, call.body.request) ?? []
    for (const part of parts) bytes += contentBytes(part)
    const json = JSON.stringify(answer.body)
    otherBytes = Buffer.byteLength(json) - json.length
  }
  return usageOf({ counted: null, deltas: 0, bytes, otherBytes }, candidate, call.body)
}
