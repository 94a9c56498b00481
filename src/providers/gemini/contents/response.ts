import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'
import { type ContentsRequest, fieldOf } from '../../../domain/request/contents.ts'
import type { Reading } from '../../family.ts'
import { blockedBy, NO_CANDIDATES, unanswered } from '../blocked.ts'
import { failureIn } from '../failure.ts'
import { type Ending, ending } from '../finish-reason.ts'
import { addQueries, searchUses, usageFromWire } from '../usage.ts'
import { responseOf, textIn } from '../wire.ts'

/** A 2xx body, which passes as it is: only what the log and the price need is read. */
export function fromWire(body: unknown, request: ContentsRequest): Reading {
  const failed = isJsonObject(body) && body['candidates'] !== undefined ? null : failureIn(body)
  if (failed !== null) return { kind: 'failure', failure: failed }
  const response = responseOf(body)
  if (response === null) return { kind: 'failure', failure: NO_CANDIDATES }
  const { candidates, usage: counted } = response
  const usage = counted === null ? null : usageFromWire(counted, fieldOf(request, 'serviceTier'))
  const [first] = candidates
  if (first === undefined) {
    // The caller asked in this format, and reads in it why there is no answer.
    if (blockedBy(response) === null) return { kind: 'failure', failure: NO_CANDIDATES }
    return answered(body, usage, { kind: 'ended', reason: 'content_filter', warning: null })
  }
  if (usage !== null) {
    const queries = new Set<string>()
    for (const { grounding } of candidates) addQueries(queries, grounding)
    usage.uses = searchUses(queries)
  }
  const ends = candidates.map(({ finishReason, parts }) => endOf(finishReason, parts))
  const [end] = ends
  if (end === undefined || ends.every(({ kind }) => kind === 'failed')) {
    return { kind: 'failure', failure: end?.kind === 'failed' ? unanswered(end.message) : NO_CANDIDATES }
  }
  return answered(body, usage, end)
}

function answered(body: unknown, usage: ReturnType<typeof usageFromWire> | null, end: Ending): Reading {
  const { reason, warning } = end.kind === 'ended' ? end : { reason: 'stop', warning: end.message }
  return { kind: 'answer', answer: { body: body as JsonObject, usage, finishReason: reason, warning } }
}

export function endOf(finishReason: string | null, parts: readonly JsonObject[]): Ending {
  const hasCalls = parts.some((part) => part['functionCall'] !== undefined)
  return ending(finishReason, { hasContent: parts.some(isContent), hasCalls, isLegacy: false })
}

/** Texts, and what a model makes besides. */
export function isContent(part: JsonObject): boolean {
  if (part['thought'] === true) return false
  return textIn(part, 'text') !== null || ['inlineData', 'executableCode'].some((name) => part[name] !== undefined)
}
