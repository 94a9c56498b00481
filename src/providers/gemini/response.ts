import type { Answer } from '../../domain/request/answer.ts'
import { isJsonObject, type JsonObject } from '../../domain/request/call-request.ts'
import type { ChatRequest } from '../../domain/request/chat.ts'
import { usesFunctions } from '../declared-functions.ts'
import type { Reading } from '../family.ts'
import { blockedBy, NO_CANDIDATES, unanswered } from './blocked.ts'
import { type Call, callOf } from './calls.ts'
import type { Door } from './door.ts'
import { failureIn } from './failure.ts'
import { ending } from './finish-reason.ts'
import { signed } from './signatures.ts'
import { addQueries, completionUsage, searchUses, usageFromWire } from './usage.ts'
import { responseOf, textIn, type WireCandidate, type WireResponse } from './wire.ts'

/** Reads a 2xx body as a completion or a failure. */
export function fromWire(body: unknown, request: ChatRequest, door: Door, asked?: string): Reading {
  const failed = isJsonObject(body) && body['candidates'] !== undefined ? null : failureIn(body)
  if (failed !== null) return { kind: 'failure', failure: failed }
  const response = responseOf(body, asked)
  if (response === null) return { kind: 'failure', failure: NO_CANDIDATES }
  const { candidates, usage: counted } = response
  if (candidates.length === 0) return { kind: 'failure', failure: blockedBy(response) ?? NO_CANDIDATES }
  const read = candidates.map((candidate) => choiceOf(candidate, response, usesFunctions(request), door))
  const unusable = read.find((each) => 'failed' in each)
  // Of several answers, those that exist are given.
  const choices = read.filter((each) => 'choice' in each)
  if (unusable !== undefined && choices.length === 0) return { kind: 'failure', failure: unanswered(unusable.failed) }
  const usage = counted === null ? null : usageFromWire(counted, request['service_tier'])
  if (usage !== null) {
    const queries = new Set<string>()
    for (const { grounding } of candidates) addQueries(queries, grounding)
    usage.uses = searchUses(queries)
  }
  const answer: Answer = {
    body: {
      object: 'chat.completion',
      choices: choices.map(({ choice }) => choice).toSorted((a, b) => a.index - b.index),
      ...(usage === null ? {} : { usage: completionUsage(usage) }),
    },
    usage,
    finishReason: choices[0]?.choice.finish_reason ?? null,
    warning: choices.map(({ warning }) => warning).find((warning) => warning !== null) ?? null,
  }
  return { kind: 'answer', answer }
}

interface Choice extends JsonObject {
  index: number
  finish_reason: string
}

type ChoiceRead = { choice: Choice; warning: string | null } | { failed: string }

function choiceOf(candidate: WireCandidate, response: WireResponse, isLegacy: boolean, door: Door): ChoiceRead {
  const { index, parts, finishReason } = candidate
  const calls: Call[] = []
  let text = ''
  let extra: JsonObject | null = null
  for (const part of parts) {
    const call = callOf(part, `${index}.${calls.length}`, response, door)
    if (call !== null) {
      calls.push(call)
      continue
    }
    const signature = textIn(part, 'thoughtSignature')
    if (signature !== null) extra = signed(signature, door, response.model)
    if (part['thought'] !== true) text += textIn(part, 'text') ?? ''
  }
  const said = { hasContent: text !== '', hasCalls: calls.length > 0, isLegacy }
  const end = ending(finishReason, said)
  if (end.kind === 'failed') return { failed: end.message }
  const message: JsonObject = { role: 'assistant', content: text === '' && said.hasCalls ? null : text }
  if (said.hasCalls && isLegacy) message['function_call'] = calls[0]?.function
  else if (said.hasCalls) message['tool_calls'] = calls
  if (extra !== null) message['extra_content'] = extra
  return { choice: { index, message, finish_reason: end.reason }, warning: end.warning }
}
