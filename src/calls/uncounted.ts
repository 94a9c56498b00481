import { estimateUsage, type Uncounted } from '../domain/pricing/estimated-usage.ts'
import { contentBytes } from '../domain/request/stream.ts'
import type { Candidate } from './chain/assess.ts'
import type { Admitted, ServedBy } from './stages.ts'

type Counts = Pick<ServedBy, 'usage' | 'usageSource' | 'bounds'>

/** Of an answer whose provider did not count all of it: an estimate within bounds. */
export function uncounted(
  { body }: Admitted,
  { bounds: { outputTokens, answers }, traits }: Candidate,
  known: Pick<Uncounted, 'counted' | 'received'>,
): Counts {
  const perAnswer = outputTokens ?? traits.maxOutputTokens
  const { usage, source, ...bounds } = estimateUsage({
    ...known,
    prompt: { likely: body.promptTokens.likely ?? Math.ceil((body.length ?? 0) / 4), most: body.promptTokens.most },
    mostOutput: perAnswer === null ? null : perAnswer * answers,
  })
  return { usage, usageSource: source, bounds }
}

/** Of a whole answer that says nothing of its tokens. One that a worker has written is known by its length alone. */
export function uncountedWhole(answer: ServedBy['answer'], candidate: Candidate, call: Admitted): Counts {
  let bytes = 'text' in answer ? (answer.text?.length ?? 0) : 0
  let otherBytes = 0
  if ('body' in answer) {
    const parts = candidate.translator.stream?.partsOf(answer, call.body.request) ?? []
    for (const part of parts) bytes += contentBytes(part)
    const json = JSON.stringify(answer.body)
    otherBytes = Buffer.byteLength(json) - json.length
  }
  return uncounted(call, candidate, { counted: null, received: { deltas: 0, characters: bytes - otherBytes, bytes } })
}
