import type { Sent, WireBytes } from '../../bodies/request-body.ts'
import { isSpeakable } from '../../domain/provider.ts'
import { translatorFor } from '../../providers/translator-for.ts'
import type { Admitted } from '../stages.ts'
import type { Candidate, ChainDeps } from './assess.ts'
import { chainHold } from './chain-hold.ts'

/** The same entry, asked in another way. */
export interface InOtherFormat {
  candidate: Candidate
  bytes: WireBytes
  reason: string
}

const NO_PATH: ReadonlySet<number | null> = new Set([404, 405])

/**
 * A call whose path is missing since its address was asked what it speaks: in the format that the address speaks now.
 * Null: nothing has changed, or the call is no longer the one that was admitted.
 */
export async function inOtherFormat(
  candidate: Candidate,
  status: number | null,
  { bytes, isFree }: Pick<Sent, 'bytes' | 'isFree'>,
  call: Admitted,
  deps: ChainDeps,
): Promise<InOtherFormat | null> {
  const { endpoint, body, snapshot, held, delivery } = call
  const { provider, entry, family, translator, wire, destination } = candidate
  if (!NO_PATH.has(status) || !isSpeakable(endpoint.name)) return null
  const spoke = translator.isVerbatim === true
  if (!(await deps.spoken.hasChanged(endpoint, provider, entry.model, spoke))) return null
  const speaks = spoke ? [] : [endpoint.name]
  const other = translatorFor(family, endpoint, { ...provider, speaks }, entry.model)
  if (other === undefined) return null
  const to = { ...destination, speaks }
  const translated = await body.retranslate(to, { wire, bytes, destination, isFree })
  if (translated === null || translated.bytes === null || translated.translation.kind !== 'wire') return null
  const { body: newWire, ignored, adjustments, bounds } = translated.translation
  const changed: Candidate = {
    ...candidate,
    translator: other,
    destination: to,
    wire: newWire,
    ignored,
    adjustments,
    bounds,
  }
  const usable = { kind: 'usable', candidate: changed, contextWindow: candidate.traits.contextWindow } as const
  const hold = chainHold([usable], body.promptTokens, snapshot, false, delivery !== null)
  if (!isWithin(hold.picodollars, held.hold.picodollars) || !isWithin(hold.tokens, held.hold.tokens)) return null
  const reason = spoke
    ? 'asked again, translated: the address no longer speaks the format'
    : 'asked again, as it came: the address speaks the format now'
  return { candidate: changed, bytes: translated.bytes, reason }
}

/** Nothing was held where nothing was known. */
function isWithin(most: bigint | number | null, held: bigint | number | null): boolean {
  return held === null || (most !== null && most <= held)
}
