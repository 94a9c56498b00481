import { LargeRequest } from '../bodies/large-bodies.ts'
import { GatewayError } from '../domain/errors.ts'
import type { LiveKey } from '../domain/key.ts'
import type { Snapshot } from '../domain/snapshot.ts'
import { type Call, CallerLeftError, type Reply } from '../http/call.ts'
import { asGatewayError } from '../http/respond.ts'
import { logFull } from '../request-log/log-full.ts'
import { admit } from './admit.ts'
import { answer } from './answer.ts'
import { authenticate } from './authenticate.ts'
import type { Deps } from './deps.ts'
import { permit } from './permit.ts'
import { price } from './price.ts'
import { receive } from './receive.ts'
import { resolve } from './resolve.ts'
import { NOTHING_USED, settle } from './settle.ts'
import type { Life } from './stages.ts'
import { tryChain } from './try-chain.ts'

/** Finds the key that a call is made with, or throws. */
export type FindKey = (call: Call, snapshot: Snapshot, deps: Deps) => LiveKey

/**
 * The life of a chat completion request. A stranger's body is never read (authenticate comes first), the row is open
 * before anything is sent (admit), and the row is complete before the caller sees the answer (settle). A request that
 * repeats another one's `Idempotency-Key` gets that one's answer and has no life of its own (enter).
 */
export async function handleChat(call: Call, deps: Deps, findKey: FindKey = authenticate): Promise<Reply | null> {
  const snapshot = deps.snapshot()
  const life = begin(call, findKey(call, snapshot, deps), deps)
  refuseWhenFull(deps)
  deps.metrics.inFlight.add()
  try {
    try {
      const received = await receive(call, life, deps)
      life.request = received.request
      life.source = received.source
      life.idempotency = received.idempotency
      life.resolved = resolve(received.request.model, life.key, snapshot, deps.prefixes)
      permit(received.request.model, life.key)
      const first = life.idempotency === null ? null : await deps.idempotency.enter(life)
      if (first !== null) return first.reply
      life.admission = await admit(received.request, life.resolved, life, deps)
      life.served = await tryChain(life.admission, life, deps)
      life.cost = price(life.served, life)
    } catch (error) {
      if (isLogFull(error)) throw error
      life.error = error instanceof CallerLeftError ? 'caller-left' : asGatewayError(error)
      if (life.error !== 'caller-left' && life.error.code === 'internal_error')
        deps.log.error({ request: life.id, err: error })
    }
    const reply = await settle(life, writtenAnswer(life, deps), deps)
    life.claim?.finish(reply)
    return reply
  } catch (error) {
    if (isLogFull(error)) deps.metrics.logFullRefusals.add()
    life.claim?.lose(error)
    throw error
  } finally {
    // Settled by now, unless something failed that must not keep money set aside for ever.
    if (life.admission !== null) void deps.ledger.settle(life.admission.held, NOTHING_USED)
    if (life.source instanceof LargeRequest) life.source.release()
    deps.metrics.inFlight.add(-1)
  }
}

/** Before anything is read, held or logged: a refusal with a row of its own would fill the log further. */
function refuseWhenFull({ requestLog, metrics }: Deps): void {
  const reason = requestLog.fullBecause()
  if (reason === null) return
  metrics.logFullRefusals.add()
  throw logFull(reason)
}

/** The disk did not take the beginning of its row: nothing was sent, and there is nothing to write an end for. */
function isLogFull(error: unknown): boolean {
  return error instanceof GatewayError && error.code === 'log_full'
}

/** What a provider sent can be read and still be nested too deep to be written again. */
function writtenAnswer(life: Life, deps: Deps): Reply | null {
  try {
    return answer(life, deps)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    life.error = new GatewayError('upstream_error', 'The answer of the provider is nested too deep.', { cause: error })
    return answer(life, deps)
  }
}

function begin(call: Call, key: LiveKey, deps: Deps): Life {
  return {
    id: call.id,
    key,
    snapshot: deps.snapshot(),
    presence: call.presence,
    startedAt: deps.now(),
    startedTick: call.receivedAt,
    request: null,
    source: null,
    idempotency: null,
    claim: null,
    resolved: null,
    admission: null,
    attempts: [],
    adjustments: [],
    elsewhereMs: 0,
    served: null,
    cost: null,
    error: null,
  }
}
