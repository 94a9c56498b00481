import { GatewayError } from '../domain/errors.ts'
import type { LiveKey } from '../domain/key.ts'
import type { Adjustment } from '../domain/request/adjustment.ts'
import type { Snapshot } from '../domain/snapshot.ts'
import { worded } from '../domain/wording/worded.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import { type Call, CallerLeftError, type CallReply } from '../http/call.ts'
import { asGatewayError } from '../http/respond.ts'
import { logFull } from '../request-log/log-full.ts'
import { admit } from './admit.ts'
import { answer } from './answer.ts'
import { enterAspects, NO_ASPECTS, passes } from './aspects.ts'
import { authenticate } from './authenticate.ts'
import { balance } from './balance.ts'
import { deliver } from './deliver.ts'
import type { Deps } from './deps.ts'
import { permit } from './permit.ts'
import { price } from './price.ts'
import { receive } from './receive.ts'
import { resolve } from './resolve.ts'
import { NOTHING_USED, settle } from './settle.ts'
import { shownBy } from './shown-by.ts'
import type { Begun, Ended, Given, Priced } from './stages.ts'
import { tryChain } from './try-chain.ts'

/** Finds the key of a call, or throws. */
export type FindKey = (call: Call, endpoint: Endpoint, snapshot: Snapshot, deps: Deps) => LiveKey | Promise<LiveKey>

/**
 * The life of a call on any endpoint. Without a valid key the body is never read (authenticate comes first), the row is
 * open before anything is sent (admit), and the row is complete before the caller sees the answer (settle) or, for a
 * stream, its end: `deliver` has already sent the rest. Optional features such as the cache or a guardrail are aspects:
 * an aspect may answer the call before admission, and check, record or release what it needs.
 */
export async function handleCall(
  call: Call,
  endpoint: Endpoint,
  deps: Deps,
  findKey: FindKey = authenticate,
): Promise<CallReply | null> {
  const entering = enter(call, endpoint, findKey, deps)
  const begun = entering instanceof Promise ? await entering : entering
  deps.metrics.inFlight.add()
  const ended: Ended = { call: begun, error: null }
  try {
    let given: Given | null = null
    try {
      const arriving = receive(call, begun, deps)
      const received = arriving instanceof Promise ? await arriving : arriving
      const resolved = resolve(received, deps)
      permit(resolved)
      given = resolved.aspects.length === 0 ? null : await enterAspects(resolved)
      if (given === null) {
        const admitted = await admit(balance(resolved, deps), deps)
        const served = await tryChain(admitted, deps)
        if (served.delivery !== null) ended.error = await deliver(served, deps)
        price(served)
      }
    } catch (error) {
      ended.error = errorOf(error, begun, deps)
    }
    if (given?.hasRow === false) return given.reply
    let reply = given?.reply ?? writtenAnswer(ended, deps)
    if (begun.aspects.length > 0 && !(await passes(ended, reply))) reply = writtenAnswer(ended, deps)
    await settle(ended, reply, deps)
    const shown = reply === null ? null : shownBy(begun.aspects, reply)
    for (const aspect of begun.aspects) aspect.settled?.(ended, reply, shown)
    return shown
  } catch (error) {
    if (isLogFull(error)) deps.metrics.logFullRefusals.add()
    for (const aspect of begun.aspects) aspect.failed?.(error)
    begun.trace.refuse(asGatewayError(error))
    throw error
  } finally {
    release(ended.call, deps)
  }
}

/** A call refused here has no row, only a trace. */
export function enter(call: Call, endpoint: Endpoint, findKey: FindKey, deps: Deps): Begun | Promise<Begun> {
  const trace = deps.tracing.begin(call, endpoint)
  try {
    const snapshot = deps.snapshot()
    const key = findKey(call, endpoint, snapshot, deps)
    if (!(key instanceof Promise)) return entered(call, endpoint, { key, snapshot, trace }, deps)
    return key
      .then((found) => entered(call, endpoint, { key: found, snapshot, trace }, deps))
      .catch((error) => {
        trace.refuse(asGatewayError(error))
        throw error
      })
  } catch (error) {
    trace.refuse(asGatewayError(error))
    throw error
  }
}

function entered(call: Call, endpoint: Endpoint, by: Pick<Begun, 'key' | 'snapshot' | 'trace'>, deps: Deps): Begun {
  const begun = begin(call, endpoint, by, deps)
  refuseWhenFull(deps)
  return begun
}

/** Before anything is read, held or logged: a row for each refusal would fill the log further. */
function refuseWhenFull({ requestLog, metrics }: Deps): void {
  const reason = requestLog.fullBecause()
  if (reason === null) return
  metrics.logFullRefusals.add()
  throw logFull(reason)
}

/** The disk refused the beginning of the row. */
function isLogFull(error: unknown): boolean {
  return error instanceof GatewayError && error.code === 'log_full'
}

/** Why the call failed. Thrown on where it has no row: nothing was sent, so there is no end to write. */
function errorOf(error: unknown, { id }: Begun, { log }: Deps): GatewayError | 'caller-left' {
  if (isLogFull(error)) throw error
  if (error instanceof CallerLeftError) return 'caller-left'
  const known = asGatewayError(error)
  if (known.code === 'internal_error') log.error({ request: id, err: error })
  return known
}

/** Releases what the call still holds at its end. */
export function release(call: Ended['call'], deps: Deps): void {
  // Already settled, unless something failed; that must not keep money held for ever.
  if (call.held !== undefined) deps.ledger.settle(call.held, NOTHING_USED)
  call.releaseEntry?.()
  void call.lost?.end()
  call.body?.release()
  for (const aspect of call.aspects) aspect.release?.()
  deps.metrics.inFlight.add(-1)
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
    presence: call.presence,
    startedAt: deps.now(),
    startedTick: call.receivedAt,
    externalMs: 0,
    attempts: [],
    foreseen: endpoint.unusedKey?.(call) ?? NO_ADJUSTMENTS,
    adjustments: NO_ADJUSTMENTS,
    receiver: call,
    aspects: NO_ASPECTS,
    body: undefined,
    attribution: undefined,
    delivery: undefined,
    resolved: undefined,
    home: undefined,
    releaseEntry: undefined,
    fitnesses: undefined,
    mayHedge: undefined,
    held: undefined,
    warnings: undefined,
    opening: undefined,
    trying: undefined,
    leg: undefined,
    lost: undefined,
    served: undefined,
    cost: undefined,
  }
  return whole
}

const NO_ADJUSTMENTS: Adjustment[] = []
