import { lacksTokens } from '../domain/pricing/price.ts'
import type { TokenUsage } from '../domain/pricing/usage.ts'
import { contentBytes } from '../domain/request/stream.ts'
import type { Candidate } from './chain/assess.ts'
import type { Admitted, ServedBy } from './stages.ts'
import { type Use, usageOf } from './stream/stream-usage.ts'

/** The model bills tokens, and the answer has none. */
export function isUncounted(usage: TokenUsage, { entry }: Candidate, { snapshot }: Admitted): boolean {
  const known = snapshot.registry.get(entry.provider)?.get(entry.model)
  return known !== undefined && lacksTokens(usage, known.price)
}

/** Of a whole answer that says nothing of its tokens. One that a worker has written is known by its length alone. */
export function uncountedWhole(answer: ServedBy['answer'], candidate: Candidate, call: Admitted): Use {
  return usageOf({ counted: null, deltas: 0, ...lengthOf(answer, candidate, call) }, candidate, call)
}

function lengthOf(answer: ServedBy['answer'], { translator }: Candidate, { body: { request } }: Admitted) {
  if (!('body' in answer)) return { bytes: 'text' in answer ? (answer.text?.length ?? 0) : 0, otherBytes: 0 }
  try {
    let bytes = 0
    for (const part of translator.stream?.partsOf(answer, request) ?? []) bytes += contentBytes(part)
    const json = JSON.stringify(answer.body)
    return { bytes, otherBytes: Buffer.byteLength(json) - json.length }
  } catch (error) {
    // Nested too deep to be written: the caller will not get it either (handle-call.ts).
    if (error instanceof RangeError) return { bytes: 0, otherBytes: 0 }
    throw error
  }
}
