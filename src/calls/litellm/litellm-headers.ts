import { cleanTags, NO_ATTRIBUTION, NO_NAMES } from '../../domain/attribution.ts'
import { headerSafe } from '../../domain/header-safe.ts'
import { deploymentId } from '../../domain/litellm/facts.ts'
import { asPicodollars, exactUsd } from '../../domain/pricing/price.ts'
import type { CallReply } from '../../http/call.ts'
import { budgetState } from '../../limits/admission.ts'
import type { OpenRecord } from '../../request-log/record.ts'
import { attributedTo } from '../attribution/attributed-to.ts'
import type { Deps, MakeAspect } from '../deps.ts'
import type { Aspect, Begun, Ended } from '../stages.ts'
import { LitellmCall } from './litellm-call.ts'

/** The headers that programs made for LiteLLM read, and the tags of its `metadata`. */
export const litellmHeaders: MakeAspect = (call, _chunks, deps) =>
  call.receiver instanceof LitellmCall ? new LitellmHeaders(call, call.receiver, deps) : null

class LitellmHeaders implements Aspect {
  readonly #call: Ended['call']
  readonly #said: LitellmCall
  readonly #deps: Pick<Deps, 'ledger'>

  constructor(call: Begun, said: LitellmCall, deps: Pick<Deps, 'ledger'>) {
    this.#call = call
    this.#said = said
    this.#deps = deps
  }

  addToOpening(record: OpenRecord): void {
    const { tags } = this.#said
    if (tags === null) return
    const said = { ...NO_ATTRIBUTION, tags: { ...cleanTags(tags), ...record.tags } }
    record.tags = attributedTo(NO_NAMES, said, this.#call.snapshot).tags
  }

  addHeaders(headers: Record<string, string>): void {
    const { id, key, body, served, trying, attempts, cost } = this.#call
    const by = served ?? trying
    const { budget, rpm, tpm } = key.limits ?? {}
    const fallbacks = by?.position ?? 0
    const called = attempts.filter(({ kind }) => kind === 'called').length
    headers['x-litellm-call-id'] = id
    headers['x-litellm-attempted-fallbacks'] = String(fallbacks)
    headers['x-litellm-attempted-retries'] = String(Math.max(0, called - 1 - fallbacks))
    if (body !== undefined) headers['x-litellm-model-group'] = headerSafe(body.request.model)
    if (body !== undefined && by) headers['x-litellm-model-id'] = deploymentId(body.request.model, by.entry)
    if (budget?.mode === 'hard') headers['x-litellm-key-max-budget'] = budget.usd
    if (rpm !== undefined) headers['x-litellm-key-rpm-limit'] = String(rpm)
    if (tpm !== undefined) headers['x-litellm-key-tpm-limit'] = String(tpm)
    // The cost of a stream is not known when its head is sent.
    if (headers['content-type']?.startsWith('text/event-stream') !== true) {
      headers['x-litellm-response-cost'] = exactUsd(cost?.picodollars ?? asPicodollars(0n))
    }
    const ignored = [headers['x-gateway-ignored-params'] ?? [], this.#said.ignored].flat()
    if (ignored.length > 0) headers['x-gateway-ignored-params'] = headerSafe(ignored.join(','))
  }

  /** The call is not settled yet: its cost is added. Without the counters there is no such header. */
  async check({ call }: Ended, reply: CallReply | null): Promise<void> {
    if (reply === null || 'rest' in reply) return
    const { id, limits } = call.key
    const [status] = await this.#deps.ledger.status([{ kind: 'key', id }]).catch(() => [])
    if (status === undefined) return
    const state = limits === null ? null : budgetState(status, limits)
    const spent = (state?.spent ?? status.periods.total.spent) + (call.cost?.picodollars ?? 0n)
    reply.headers['x-litellm-key-spend'] = exactUsd(asPicodollars(spent))
  }
}
