import type { Guardrail } from '../domain/content/guardrail.ts'
import { GatewayError } from '../domain/errors.ts'
import { named, type Worded, worded } from '../domain/wording/worded.ts'
import type { CallReply } from '../http/call.ts'
import type { Deps } from './deps.ts'
import { ask } from './guardrail/ask.ts'
import type { Begun, Ended, Resolved } from './stages.ts'

type GuardDeps = Pick<Deps, 'upstream' | 'now' | 'metrics' | 'log'>
type Asking = Begun & Pick<Resolved, 'body' | 'resolved'>

/** Before any provider is called: throws where the workspace's guardrail blocks the request (docs/guardrails.md). */
export async function guard(call: Resolved, deps: GuardDeps): Promise<void> {
  const { guarded } = call
  if (guarded === null || guarded.body === null) return
  const refusal = await refusalOf(call, 'before', guarded.body, guarded.guardrail, deps)
  if (refusal !== null) throw refusal
}

/**
 * Why a whole answer may not go out; null: it may. The provider was paid: the cost stays, and the row says why the
 * caller did not get the answer.
 */
export async function guardAnswer(
  { call, error }: Ended,
  reply: CallReply | null,
  deps: GuardDeps,
): Promise<GatewayError | null> {
  const { guarded } = call
  if (guarded?.guardrail.after !== true || error !== null || reply === null || 'rest' in reply) return null
  return refusalOf(call as Asking, 'after', reply.body, guarded.guardrail, deps)
}

async function refusalOf(
  call: Asking,
  phase: 'before' | 'after',
  body: Uint8Array | string,
  guardrail: Guardrail,
  { upstream, now, metrics, log }: GuardDeps,
): Promise<GatewayError | null> {
  const { id, presence } = call
  const { workspace } = call.key
  const about = { workspace, endpoint: call.endpoint.name, route: call.resolved.alias, model: call.body.request.model }
  const began = performance.now()
  const verdict = await ask({ phase, requestId: id, ...about, body }, guardrail, { upstream, now, presence })
  call.elsewhereMs += performance.now() - began
  if (typeof verdict === 'string') {
    metrics.guardrailChecks.add(1, [phase, 'failed'])
    log.warn({ request: id, workspace, phase, problem: verdict }, 'a guardrail gave no verdict')
    return guardrail.on_failure === 'open' ? null : new GatewayError('guardrail_unavailable')
  }
  metrics.guardrailChecks.add(1, [phase, verdict.action])
  if (verdict.action === 'allow') return null
  return new GatewayError('blocked_by_guardrail', blockedWords(phase, verdict.message, verdict.reason))
}

/** What the guardrail says is for the caller; the log keeps its reason, which is a word. */
function blockedWords(phase: 'before' | 'after', message: string | null, reason: string | null): Worded {
  const what = phase === 'before' ? worded`The request` : worded`The answer`
  const words =
    reason === null
      ? worded`${what} was blocked by a guardrail.`
      : worded`${what} was blocked by a guardrail: ${named(reason)}.`
  return { ...words, told: message ?? words.told }
}
