import { type ErrorFormat, GatewayError } from '../../domain/errors.ts'
import {
  type ClaimedCall,
  checkSameBody,
  IDEMPOTENCY_MS,
  type IdempotentBody,
  identityOf,
  refusalOf,
} from '../../domain/idempotency.ts'
import type { Presence } from '../../domain/presence.ts'
import { worded } from '../../domain/wording/worded.ts'
import type { CallReply, Reply } from '../../http/call.ts'
import { asGatewayError, errorReply } from '../../http/respond.ts'
import type { Delivery, Receiver } from '../stream/delivery.ts'
import { type JointPresence, jointPresence } from './joint-presence.ts'
import { IdempotencyMemory, type MemoryBounds, type PastCall } from './memory.ts'

/** The dependencies of `Idempotency-Key`. */
export interface IdempotencyOptions {
  /** Finds the call that used the key in the request log, if one started after `since`. */
  find(keyId: string, idempotencyKey: string, since: number): Promise<ClaimedCall | null>
  /** Resolves when everything logged here so far can be found. */
  caughtUp(): Promise<void>
  onReplay(): void
  now(): number
  bounds?: MemoryBounds
}

/** What a repeat of an ended call gets. Null: the call was not charged, so a repeat makes a new one. */
export type KeptOutcome = ({ replay: Reply | null } & Pick<ClaimedCall, 'cut'>) | null

/** The right to make the one call of a key. Exactly one of the two functions must be called at its end. */
export interface Claim {
  /** Its row is complete. A null reply: everyone who waited for it has left. */
  finish(reply: CallReply | null, kept: KeptOutcome): void
  /** Its row could not be completed. */
  lose(error: unknown): void
}

export interface Idempotency {
  /**
   * Null: this request makes the call and has the claim. Otherwise it gets the reply of the first call and ends here; a
   * null reply means that the caller left while waiting. `claimed` gets the claim, also where this throws later.
   */
  enter(
    call: IdempotentCall,
    body: IdempotentBody,
    claimed: (claim: Claim) => void,
  ): Promise<{ reply: CallReply | null } | null>
}

/** The part of a call that is read and set here. */
interface IdempotentCall {
  readonly id: string
  readonly key: { id: string }
  readonly endpoint: { error: ErrorFormat }
  readonly attempts: readonly { kind: string }[]
  startedAt: number
  presence: Presence
  readonly receiver: Receiver
  /** Of a stream. */
  readonly delivery: Delivery | null
}

interface Running extends ClaimedCall {
  presence: JointPresence
  delivery: Delivery | null
  ended: Promise<CallReply | null>
}

const AWAY_SECONDS = 5
const BOUNDS: MemoryBounds = { outcomeBytes: 64 * 1024 * 1024, identities: 100_000 }

/**
 * One provider call for all requests with the same `Idempotency-Key`. The claim is made in memory before the first
 * await, so one of two simultaneous requests joins the other; then the log is searched for calls of earlier processes
 * and those that memory has dropped.
 */
export function createIdempotency(options: IdempotencyOptions): Idempotency {
  const { find, caughtUp, onReplay, now, bounds = BOUNDS } = options
  const running = new Map<string, Running>()
  const memory = new IdempotencyMemory(bounds)

  function replay(reply: CallReply, requestId: string): { reply: CallReply } {
    onReplay()
    if ('rest' in reply) return { reply }
    return { reply: { ...reply, headers: { ...reply.headers, ...marksOf(requestId) } } }
  }

  /** The reply of the running call. Null: every caller had left, so the stored outcome decides. */
  async function join(first: Running, body: IdempotentBody, call: IdempotentCall) {
    checkSameBody(first, body)
    const isJoined = joins(first, call)
    const ended = await endOrLeave(first.ended, call.presence)
    if (ended === 'left') return { reply: null }
    // Without its beginning the end of a stream is nothing: what is kept of the call is asked for.
    if (ended === null || ('rest' in ended && !isJoined)) return null
    return replay(ended, first.requestId)
  }

  function recall(identity: string, body: IdempotentBody) {
    const past = memory.find(identity, now())
    if (past === null) return null
    checkSameBody(past, body)
    const outcome = memory.outcome(identity)
    if (outcome === null) throw refusalOf(past)
    return replay(outcome, past.requestId)
  }

  function claim(identity: string, { bodyHash }: IdempotentBody, call: IdempotentCall): Claim {
    const { promise: ended, resolve: end } = Promise.withResolvers<CallReply | null>()
    const { id: requestId, delivery } = call
    const presence = jointPresence(call.presence)
    running.set(identity, { requestId, bodyHash, state: 'running', presence, delivery, ended })
    call.presence = presence
    // Admission sets the start time again.
    const past = (state: PastCall['state'], cut?: ClaimedCall['cut']): PastCall => {
      return { requestId, bodyHash, state, startedAt: call.startedAt, ...(cut && { cut }) }
    }
    return {
      finish(reply, kept) {
        running.delete(identity)
        if (kept !== null) memory.keep(identity, past('answered', kept.cut), kept.replay)
        end(reply)
      },
      lose(error) {
        running.delete(identity)
        const wasSent = call.attempts.some((attempt) => attempt.kind === 'called')
        if (wasSent) memory.keep(identity, past('uncertain'), null)
        end(errorReply(asGatewayError(error), {}, call.endpoint.error, requestId))
      },
    }
  }

  /** A running call of this process is in memory; if it is not, it has ended and its end is not in the log yet. */
  async function findLogged(keyId: string, { idempotencyKey }: IdempotentBody): Promise<ClaimedCall | null> {
    const look = () => find(keyId, idempotencyKey, now() - IDEMPOTENCY_MS)
    try {
      const logged = await look()
      if (logged?.state !== 'running') return logged
      await caughtUp()
      return await look()
    } catch (cause) {
      throw unreadableLog(cause)
    }
  }

  return {
    async enter(call, body, claimed) {
      const identity = identityOf(call.key.id, body)
      for (let first = running.get(identity); first !== undefined; first = running.get(identity)) {
        const joined = await join(first, body, call)
        if (joined !== null) return joined
      }
      const recalled = recall(identity, body)
      if (recalled !== null) return recalled
      claimed(claim(identity, body, call))
      const logged = await findLogged(call.key.id, body)
      if (logged === null) return null
      checkSameBody(logged, body)
      throw refusalOf(logged)
    },
  }
}

/** False: its callers have left, so it may have been cancelled. */
function joins(first: Running, { presence, receiver }: IdempotentCall): boolean {
  if (first.presence.left) return false
  // What was sent before is not kept: nothing can be added to it.
  if (first.delivery?.join(receiver, marksOf(first.requestId)) === false) throw refusalOf(first)
  first.presence.join(presence)
  return true
}

function marksOf(requestId: string): Record<string, string> {
  return { 'x-gateway-request-id': requestId, 'x-gateway-idempotent-replay': 'true' }
}

/** Nothing is sent until it is known that this would not be a second call. */
function unreadableLog(cause: unknown): GatewayError {
  const unknown = worded`it is unknown whether the call with this Idempotency-Key was already made`
  const message = worded`The request log cannot be read now, so ${unknown}. Nothing was sent. Retry later with the same key.`
  return new GatewayError('database_unavailable', message, { cause, retryAfterSeconds: AWAY_SECONDS })
}

/** Whichever comes first: a caller who leaves stops waiting. */
function endOrLeave(ended: Promise<CallReply | null>, presence: Presence): Promise<CallReply | null | 'left'> {
  if (presence.left) return Promise.resolve('left')
  return new Promise((resolve) => {
    const stopListening = presence.onLeave(() => resolve('left'))
    void ended.then((reply) => {
      stopListening()
      resolve(reply)
    })
  })
}
