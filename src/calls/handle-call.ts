import { GatewayError } from '../domain/errors.ts'
import type { LiveKey } from '../domain/key.ts'
import type { Adjustment } from '../domain/request/adjustment.ts'
import type { Snapshot } from '../domain/snapshot.ts'
import { worded } from '../domain/wording/worded.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import { sessionOf } from '../endpoints/session-header.ts'
import { type Call, CallerLeftError, type CallReply } from '../http/call.ts'
import { asGatewayError } from '../http/respond.ts'
import { logFull } from '../request-log/log-full.ts'
import { admit } from './admit.ts'
import { answer } from './answer.ts'
import { authenticate } from './authenticate.ts'
import { balance } from './balance.ts'
import { isCached, keepAnswer } from './cached.ts'
import { deliver } from './deliver.ts'
import type { Deps } from './deps.ts'
import { guard, guardAnswer } from './guard.ts'
import { outcomeOf } from './idempotency/outcome.ts'
import { keepContent } from './keep-content.ts'
import { permit } from './permit.ts'
import { price } from './price.ts'
import { receive } from './receive.ts'
import { resolve } from './resolve.ts'
import { NOTHING_USED, settle } from './settle.ts'
import type { Begun, Ended, Priced } from './stages.ts'
import { tryChain } from './try-chain.ts'

/** Finds the key of a call, or throws. */
export type FindKey = (call: Call, endpoint: Endpoint, snapshot: Snapshot, deps: Deps) => LiveKey

/**
 * The life of a call, whatever its endpoint. Without a valid key the body is never read (authenticate comes first), the
 * row is open before anything is sent (admit), and the row is complete before the caller sees the answer (settle), of
 * a stream its end: `deliver` has sent the rest while it came. A request that repeats an `Idempotency-Key` gets the
 * first call's answer and no row of its own (enter); one that a route's cache answers asks no provider (isCached).
 */
export async function handleCall(
  call: Call,
  endpoint: Endpoint,
  deps: Deps,
  findKey: FindKey = authenticate,
): Promise<CallReply | null> {
  const begun = enter(call, endpoint, findKey, deps)
  deps.metrics.inFlight.add()
  const ended: Ended = { call: begun, error: null }
  try {
    try {
      const arriving = receive(call, begun, deps)
      const received = arriving instanceof Promise ? await arriving : arriving
      const resolved = resolve(received, deps.prefixes)
      permit(resolved)
      const first = resolved.idempotency === null ? null : await deps.idempotency.enter(resolved, resolved.idempotency)
      if (first !== null) {
        begun.trace.replay({ id: begun.id, workspace: begun.key.workspace, keyId: begun.key.id })
        return first.reply
      }
      if (begun.guarded !== null) await guard(resolved, deps)
      if (resolved.resolved.cache === undefined || !(await isCached(resolved, deps))) {
        const admitted = await admit(balance(resolved, deps), deps)
        if (admitted.delivery !== null) deps.streams.begin(admitted, admitted.delivery)
        const served = await tryChain(admitted, deps)
        if (served.delivery !== null) ended.error = await deliver(served, deps)
        price(served)
      }
    } catch (error) {
      if (isLogFull(error)) throw error
      ended.error = error instanceof CallerLeftError ? 'caller-left' : asGatewayError(error)
      if (ended.error !== 'caller-left' && ended.error.code === 'internal_error')
        deps.log.error({ request: begun.id, err: error })
    }
    begun.delivery?.decided()
    let reply = writtenAnswer(ended, deps)
    if (begun.guarded !== null) reply = await guardedAnswer(ended, reply, deps)
    await settle(ended, reply, deps)
    keepContent(ended, reply)
    begun.claim?.finish(reply, outcomeOf(ended, reply))
    if (begun.caching !== null) keepAnswer(ended, reply, deps)
    return reply
  } catch (error) {
    if (isLogFull(error)) deps.metrics.logFullRefusals.add()
    begun.claim?.lose(error)
    begun.trace.refuse(asGatewayError(error))
    throw error
  } finally {
    // Already settled, unless something failed; that must not keep money held for ever.
    if (ended.call.held !== undefined) deps.ledger.settle(ended.call.held, NOTHING_USED)
    ended.call.leaveEntry()
    void ended.call.lost?.end()
    ended.call.body?.release()
    ended.call.delivery?.close()
    ended.call.content?.release()
    deps.streams.end(begun)
    deps.metrics.inFlight.add(-1)
  }
}

/** Whoever is refused here has no row; the trace of the call is all there is. */
function enter(call: Call, endpoint: Endpoint, findKey: FindKey, deps: Deps): Begun {
  const trace = deps.tracing.begin(call, endpoint)
  try {
    const snapshot = deps.snapshot()
    const begun = begin(call, endpoint, { key: findKey(call, endpoint, snapshot, deps), snapshot, trace }, deps)
    refuseWhenFull(deps)
    return begun
  } catch (error) {
    trace.refuse(asGatewayError(error))
    throw error
  }
}

/** Before anything is read, held or logged: a row for each refusal would fill the log further. */
function refuseWhenFull({ requestLog, metrics }: Deps): void {
  const reason = requestLog.fullBecause()
  if (reason === null) return
  metrics.logFullRefusals.add()
  throw logFull(reason)
}

/** The disk refused the beginning of the row: nothing was sent, so there is no end to write. */
function isLogFull(error: unknown): boolean {
  return error instanceof GatewayError && error.code === 'log_full'
}

/** The answer, or the error of the guardrail that blocks it. */
async function guardedAnswer(ended: Ended, reply: CallReply | null, deps: Deps): Promise<CallReply | null> {
  try {
    ended.error ??= await guardAnswer(ended, reply, deps)
  } catch (error) {
    ended.error = error instanceof CallerLeftError ? 'caller-left' : asGatewayError(error)
  }
  return ended.error === null ? reply : writtenAnswer(ended, deps)
}

/** A provider's answer can be readable and still be nested too deep to be written again. */
function writtenAnswer(ended: Ended, deps: Deps): CallReply | null {
  try {
    return answer(ended, deps)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    ended.error = new GatewayError('upstream_error', worded`The provider's answer is nested too deeply.`, {
      cause: error,
    })
    return answer(ended, deps)
  }
}

function begin(
  call: Call,
  endpoint: Endpoint,
  { key, snapshot, trace }: Pick<Begun, 'key' | 'snapshot' | 'trace'>,
  deps: Pick<Deps, 'now'>,
): Begun {
  // Every field of every stage: an object that grows is copied, and each place of a call where it is read learns its shapes.
  const whole: Begun & { [Field in keyof Omit<Priced, keyof Begun>]: undefined } = {
    id: call.id,
    endpoint,
    key,
    snapshot,
    trace,
    session: sessionOf(call),
    presence: call.presence,
    claim: null,
    startedAt: deps.now(),
    startedTick: call.receivedAt,
    elsewhereMs: 0,
    attempts: [],
    unusedKey: endpoint.unusedKey?.(call) ?? NO_ADJUSTMENTS,
    adjustments: NO_ADJUSTMENTS,
    trying: null,
    leaveEntry: nowhere,
    opening: null,
    leg: null,
    lost: null,
    receiver: call,
    delivery: null,
    content: null,
    caching: null,
    guarded: null,
    body: undefined,
    attribution: undefined,
    idempotency: undefined,
    resolved: undefined,
    home: undefined,
    fitnesses: undefined,
    mayHedge: undefined,
    held: undefined,
    warnings: undefined,
    served: undefined,
    cost: undefined,
  }
  return whole
}

const NO_ADJUSTMENTS: Adjustment[] = []
const nowhere = () => {}
