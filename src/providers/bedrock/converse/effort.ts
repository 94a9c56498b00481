import type { JsonObject } from '../../../domain/request/call-request.ts'
import { quoted, refuse } from '../../../domain/request/rejection.ts'
import { worded } from '../../../domain/wording/worded.ts'

/** Weakest first. */
const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']

export interface Effort {
  /** Of the vendor; empty where the model has no such setting. */
  fields: JsonObject
  /** The caller did not get exactly what was requested. */
  isReported: boolean
  /** It is refused together with a limit of the answer, `temperature` or `topP`. */
  isUnlimited: boolean
}

const NO_EFFORT: Effort = { fields: {}, isReported: false, isUnlimited: false }
const NOTHING_FITS: Effort = { fields: {}, isReported: true, isUnlimited: false }

/** `reasoning_effort` in the words of the model's vendor, sent as an additional field. */
export function effortFields(effort: unknown, model: string): Effort {
  if (effort === null || effort === undefined) return NO_EFFORT
  if (typeof effort !== 'string' || !EFFORTS.includes(effort)) {
    return refuse(worded`reasoning_effort: ${quoted(effort)} is not supported by this provider`)
  }
  const isOff = effort === 'none'
  const level = effort === 'minimal' || isOff ? 'low' : effort === 'xhigh' || effort === 'max' ? 'high' : effort
  if (/(^|[./])openai\./.test(model)) {
    return { fields: { reasoning_effort: level }, isReported: level !== effort, isUnlimited: false }
  }
  if (!/(^|[./])amazon\.nova-2/.test(model)) return NOTHING_FITS
  const reasoningConfig = isOff ? { type: 'disabled' } : { type: 'enabled', maxReasoningEffort: level }
  return {
    fields: { reasoningConfig },
    isReported: !isOff && level !== effort,
    isUnlimited: !isOff && level === 'high',
  }
}
