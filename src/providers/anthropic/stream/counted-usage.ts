import { tokenCount } from '../../../domain/pricing/usage.ts'
import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'
import type { StreamUsage } from '../../../domain/request/stream.ts'
import { mergeCounts } from '../../merge-counts.ts'
import { completionUsage, unpricedUse, usageFromWire } from '../usage.ts'
import { WireUsage } from '../wire.ts'

/** The usage of a message while it streams: input at its start, totals later. */
export class CountedUsage {
  #merged: JsonObject | null = null
  /** What the start says of the output is a placeholder. */
  #isOutputKnown = false

  began(usage: unknown): void {
    if (isJsonObject(usage)) this.#merged = mergeCounts(this.#merged ?? {}, usage)
  }

  updated(usage: unknown): void {
    if (!isJsonObject(usage)) return
    this.#merged = mergeCounts(this.#merged ?? {}, usage, (name) => name === 'output_tokens')
    if (typeof usage['output_tokens'] === 'number') this.#isOutputKnown = true
  }

  usage(hasStopped: boolean): StreamUsage | null {
    const parsed = WireUsage.safeParse(this.#merged)
    if (!parsed.success) return null
    const tokens = usageFromWire(parsed.data)
    return { tokens, body: completionUsage(tokens), isFinal: hasStopped && this.#isOutputKnown }
  }

  get warning(): string | null {
    const warnings = [this.#unknownLifetime(), unpricedUse(this.#merged)].filter((each) => each !== null)
    return warnings.join('; ') || null
  }

  /** Cache lifetimes are sent only at the start: later writes count as the shorter one. */
  #unknownLifetime(): string | null {
    const { cache_creation: split, cache_creation_input_tokens: total } = this.#merged ?? {}
    if (!isJsonObject(split)) return null
    const listed = tokenCount(split['ephemeral_5m_input_tokens']) + tokenCount(split['ephemeral_1h_input_tokens'])
    const rest = tokenCount(total) - listed
    return rest > 0 ? `the lifetime of ${rest} cache write tokens is unknown: priced as 5 minutes` : null
  }
}
