import type { Guardrail } from '../../domain/content/guardrail.ts'
import type { Verdict } from '../../domain/content/verdict.ts'
import { GatewayError } from '../../domain/errors.ts'
import type { Workspace } from '../../domain/snapshot.ts'
import { named, type Worded, worded } from '../../domain/wording/worded.ts'
import type { CallReply } from '../../http/call.ts'
import type { Deps, MakeAspect } from '../deps.ts'
import type { Aspect, Begun, Ended, Resolved } from '../stages.ts'
import { ask } from './ask.ts'
import { obey } from './obey.ts'
import { reopened } from './reopened.ts'
import { Restoring } from './restoring.ts'

type Asking = Begun & Pick<Resolved, 'body' | 'resolved' | 'attribution'>
type Phase = 'before' | 'after'

/** A workspace's guardrail: before any provider is called, and on whole answers (docs/guardrails.md). */
export function guarded({ guardrail }: Workspace): MakeAspect | null {
  if (guardrail === null) return null
  return (_call, chunks, deps) => new Guarded(guardrail, chunks, deps)
}

class Guarded implements Aspect {
  /** Until it is allowed: what a guardrail would have masked must not be stored. */
  hidesContent: boolean
  readonly #guardrail: Guardrail
  readonly #deps: Deps
  #restoring: Restoring | null = null
  /** As received. */
  #request: Buffer | null

  constructor(guardrail: Guardrail, chunks: readonly Buffer[], deps: Deps) {
    this.#guardrail = guardrail
    this.#deps = deps
    this.hidesContent = guardrail.before
    this.#request = guardrail.before ? Buffer.concat(chunks) : null
  }

  async enter(call: Resolved): Promise<null> {
    if (this.#request === null) return null
    const verdict = await this.#ask(call, 'before', this.#request)
    this.#request = null
    if (verdict === null || verdict.action === 'block') return null
    const request = verdict.body === null ? null : await reopened(call, verdict.body, this.#deps)
    if (typeof request === 'string') return this.#without(call, 'before', request)
    this.#count('before', 'allow')
    this.hidesContent = false
    obey(call, verdict, request, this.#deps)
    this.#restoring = verdict.restore === null ? null : Restoring.of(verdict.restore, call.endpoint.name)
    if (this.#restoring !== null) call.delivery?.restore(this.#restoring)
    return null
  }

  /** The provider was paid: the cost stays, and the row says why the caller did not get the answer. */
  async check({ call, error }: Ended, reply: CallReply | null): Promise<void> {
    if (!this.#guardrail.after || error !== null || reply === null || 'rest' in reply) return
    const isJson = reply.headers['content-type']?.startsWith('application/json') === true
    const said = isJson ? reply.body : JSON.stringify(Buffer.from(reply.body).toString('utf8'))
    if ((await this.#ask(call as Asking, 'after', said)) !== null) this.#count('after', 'allow')
  }

  show(reply: CallReply): CallReply {
    return this.#restoring?.reply(reply) ?? reply
  }

  /** Throws where it blocks the call. Null: it gave no verdict, and the call continues. */
  async #ask(call: Asking, phase: Phase, body: Uint8Array | string): Promise<Verdict | null> {
    const { id, presence, key, endpoint, resolved } = call
    const { workspace } = key
    const where = { workspace, endpoint: endpoint.name, route: resolved.alias, model: call.body.request.model }
    const who = { keyId: key.id, attribution: call.attribution }
    const began = performance.now()
    const question = { phase, requestId: id, ...where, ...who, body }
    const { upstream, now, maxBodyBytes } = this.#deps
    const verdict = await ask(question, this.#guardrail, { upstream, now, maxBodyBytes, presence })
    call.externalMs += performance.now() - began
    if (typeof verdict === 'string') return this.#without(call, phase, verdict)
    if (verdict.action === 'allow') return verdict
    this.#count(phase, verdict.action)
    throw new GatewayError('blocked_by_guardrail', blockedWords(phase, verdict.message, verdict.reason))
  }

  /** Nothing usable was said. */
  #without({ id, key: { workspace } }: Asking, phase: Phase, problem: string): null {
    this.#count(phase, 'failed')
    this.#deps.log.warn({ request: id, workspace, phase, problem }, 'a guardrail gave no verdict')
    if (this.#guardrail.on_failure === 'open') return null
    throw new GatewayError('guardrail_unavailable')
  }

  #count(phase: Phase, outcome: Verdict['action'] | 'failed'): void {
    this.#deps.metrics.guardrailChecks.add(1, [phase, outcome])
  }
}

/** What the guardrail says is for the caller; the log keeps its reason, which is a word. */
function blockedWords(phase: Phase, message: string | null, reason: string | null): Worded {
  const what = phase === 'before' ? worded`The request` : worded`The answer`
  const words =
    reason === null
      ? worded`${what} was blocked by a guardrail.`
      : worded`${what} was blocked by a guardrail: ${named(reason)}.`
  return { ...words, text: message ?? words.text }
}
