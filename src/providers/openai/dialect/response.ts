import type { Failure } from '../../../domain/failure.ts'
import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'
import type { Reading } from '../../family.ts'
import { FINISH_REASONS, fromWire } from '../chat/response.ts'
import { failureInStream } from '../chat/stream-failure.ts'
import { failureFromErrorBody } from '../failure.ts'
import type { Dialect } from './dialect.ts'

/** A whole answer, as the family's own. Tiers of others have names of ours and other prices: the list price is certain. */
export function fromDialect(body: unknown, { vendor }: Dialect): Reading {
  const failed = isJsonObject(body) ? failureIn(body) : null
  if (failed !== null) return { kind: 'failure', failure: failed }
  const reading = fromWire(isJsonObject(body) ? shaped(body, vendor) : body)
  if (reading.kind !== 'answer' || reading.answer.usage === null) return reading
  const usage = { ...reading.answer.usage, pricePercent: Math.max(100, reading.answer.usage.pricePercent) }
  return { kind: 'answer', answer: { ...reading.answer, usage } }
}

/** Errors come with the status of an answer, beside choices or in one of them. */
function failureIn(body: JsonObject): Failure | null {
  const { error, choices } = body
  if (isJsonObject(error)) return failureFromErrorBody(body)
  const own = Array.isArray(choices) ? choices.find((each) => isJsonObject(each) && isJsonObject(each['error'])) : null
  if (isJsonObject(own)) return failureFromErrorBody(own)
  return failureInStream(body, null)
}

function shaped(body: JsonObject, vendor: Dialect['vendor']): JsonObject {
  const { choices, usage } = body
  const copy = { ...body }
  if (Array.isArray(choices)) copy['choices'] = choices.map((choice) => (isJsonObject(choice) ? own(choice) : choice))
  if (vendor.usage !== undefined && isJsonObject(usage)) copy['usage'] = vendor.usage(usage)
  return copy

  function own(choice: JsonObject): JsonObject {
    const mine = { ...choice }
    vendor.choice?.(mine)
    const reason = mine['finish_reason']
    if (typeof reason === 'string') mine['finish_reason'] = FINISH_REASONS.get(reason) ?? reason
    return mine
  }
}
