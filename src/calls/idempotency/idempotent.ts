import type { IdempotentBody } from '../../domain/idempotency.ts'
import type { CallReply } from '../../http/call.ts'
import type { OpenRecord } from '../../request-log/record.ts'
import type { Deps } from '../deps.ts'
import { shownBy } from '../shown-by.ts'
import type { Aspect, Ended, Given, Resolved } from '../stages.ts'
import type { Claim } from './idempotency.ts'
import { outcomeOf } from './outcome.ts'

/** A request with the header `Idempotency-Key`. */
export class Idempotent implements Aspect {
  readonly #body: IdempotentBody
  readonly #deps: Pick<Deps, 'idempotency'>
  /** Held by the one call that is made for the key. */
  #claim: Claim | null = null

  constructor(body: IdempotentBody, deps: Pick<Deps, 'idempotency'>) {
    this.#body = body
    this.#deps = deps
  }

  async enter(call: Resolved): Promise<Given | null> {
    const claimed = (claim: Claim) => {
      this.#claim = claim
    }
    const first = await this.#deps.idempotency.enter(call, this.#body, claimed)
    if (first === null) return null
    call.trace.replay({ id: call.id, workspace: call.key.workspace, keyId: call.key.id })
    return { reply: first.reply, hasRow: false }
  }

  addToOpening(record: OpenRecord): void {
    record.idempotencyKey = this.#body.idempotencyKey
    record.bodyHash = this.#body.bodyHash
  }

  /** A repeat gets what the first caller got. */
  settled(ended: Ended, reply: CallReply | null, shown: CallReply | null): void {
    const kept = outcomeOf(ended, reply)
    const replay = kept?.replay == null ? null : shownBy(ended.call.aspects, kept.replay)
    this.#claim?.finish(shown, kept === null || replay === null || 'rest' in replay ? kept : { ...kept, replay })
  }

  failed(error: unknown): void {
    this.#claim?.lose(error)
  }
}
