import { isJsonObject, type JsonObject } from '../../domain/request/call-request.ts'
import type { Door } from './door.ts'

/** Replaces a missing signature: the history is another model's, or the caller has lost it. */
export const NO_SIGNATURE = 'skip_thought_signature_validator'

/** A snapshot, a preview: the same model under a longer name. */
const SAME_LINE = /^-(?:\d{2,}|preview|exp)[\w-]*$/

/**
 * Thoughts are not shown, but their signature must come back with the call that they led to. Chat completions has no
 * place for it; this one is the vendor's own. The model is named beside it, because no other one accepts it.
 */
export function signed(signature: string, door: Door, model: string | null): JsonObject {
  const made = model === null ? {} : { made_by: `${door.name}/${model}` }
  return { google: { thought_signature: signature, ...made } }
}

/** The signature in what a caller sends back; null: none, or one that this model would refuse. */
export function signatureIn(extra: unknown, door: Door, model: string): string | null {
  const google = isJsonObject(extra) ? extra['google'] : null
  if (!isJsonObject(google)) return null
  const { thought_signature: signature, made_by: maker } = google
  if (typeof signature !== 'string' || signature === '') return null
  return typeof maker !== 'string' || isMaker(maker, door, model) ? signature : null
}

function isMaker(maker: string, { name }: Door, model: string): boolean {
  if (!maker.startsWith(`${name}/`)) return false
  const made = maker.slice(name.length + 1)
  if (made === model || model.endsWith('-latest')) return true
  const [short, long] = made.length < model.length ? [made, model] : [model, made]
  return long.startsWith(short) && SAME_LINE.test(long.slice(short.length))
}
