import type { Guardrail } from '../../domain/content/guardrail.ts'
import { GatewayError } from '../../domain/errors.ts'
import type { Workspace } from '../../domain/snapshot.ts'
import { named, type Worded, worded } from '../../domain/wording/worded.ts'
import type { Deps, MakeAspect } from '../deps.ts'
import type { Aspect, Begun, Resolved } from '../stages.ts'
import { ask } from './ask.ts'

type GuardDeps = Pick<Deps, 'upstream' | 'now' | 'metrics' | 'log'>
type Asking = Begun & Pick<Resolved, 'body' | 'resolved'>

/** A workspace's guardrail: before any provider is called, and on whole answers (docs/guardrails.md). */
export function guarded({ guardrail }: Workspace): MakeAspect | null {
  if (guardrail === null) return null
  return (_call, chunks, deps) => {
    const aspect: Aspect = {}
    if (guardrail.before) {
      const body = Buffer.concat(chunks)
      aspect.enter = async (call) => {
        await check(call, 'before', body, guardrail, deps)
        return null
      }
    }
    if (guardrail.after) {
      // The provider was paid: the cost stays, and the row says why the caller did not get the answer.
      aspect.check = async ({ call, error }, reply) => {
        if (error !== null || reply === null || 'rest' in reply) return
        const isJson = reply.headers['content-type']?.startsWith('application/json') === true
        const said = isJson ? reply.body : JSON.stringify(Buffer.from(reply.body).toString('utf8'))
        await check(call as Asking, 'after', said, guardrail, deps)
      }
    }
    return aspect
  }
}

/** Throws where the guardrail blocks it. */
async function check(
  call: Asking,
  phase: 'before' | 'after',
  body: Uint8Array | string,
  guardrail: Guardrail,
  { upstream, now, metrics, log }: GuardDeps,
): Promise<void> {
  const { id, presence } = call
  const { workspace } = call.key
  const about = { workspace, endpoint: call.endpoint.name, route: call.resolved.alias, model: call.body.request.model }
  const began = performance.now()
  const verdict = await ask({ phase, requestId: id, ...about, body }, guardrail, { upstream, now, presence })
  call.externalMs += performance.now() - began
  if (typeof verdict === 'string') {
    metrics.guardrailChecks.add(1, [phase, 'failed'])
    log.warn({ request: id, workspace, phase, problem: verdict }, 'a guardrail gave no verdict')
    if (guardrail.on_failure === 'open') return
    throw new GatewayError('guardrail_unavailable')
  }
  metrics.guardrailChecks.add(1, [phase, verdict.action])
  if (verdict.action === 'allow') return
  throw new GatewayError('blocked_by_guardrail', blockedWords(phase, verdict.message, verdict.reason))
}

/** What the guardrail says is for the caller; the log keeps its reason, which is a word. */
function blockedWords(phase: 'before' | 'after', message: string | null, reason: string | null): Worded {
  const what = phase === 'before' ? worded`The request` : worded`The answer`
  const words =
    reason === null
      ? worded`${what} was blocked by a guardrail.`
      : worded`${what} was blocked by a guardrail: ${named(reason)}.`
  return { ...words, text: message ?? words.text }
}
