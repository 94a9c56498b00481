import { checkFaithful } from '../domain/request/faithful.ts'
import { type TriedChat, usableKey } from '../domain/usable-key.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import type { Call, CallReply } from '../http/call.ts'
import type { Deps } from './deps.ts'
import { type FindKey, handleCall } from './handle-call.ts'

/**
 * A call like any other, except that its key is found by id instead of by bearer token. Everything after that, limits
 * and log included, is the same handler.
 */
export function tryCall(
  tried: TriedChat & Pick<Call, 'openStream'>,
  endpoint: Endpoint,
  deps: Deps,
): Promise<CallReply | null> {
  const findKey: FindKey = (_call, _endpoint, snapshot) => usableKey(snapshot, tried.key, deps.now())
  return handleCall(callOf(tried), endpoint, deps, findKey)
}

function callOf({ id, presence, openStream, body, idempotencyKey }: TriedChat & Pick<Call, 'openStream'>): Call {
  return {
    id,
    method: 'POST',
    params: {},
    query: () => ({}),
    header: (name) => (name === 'idempotency-key' ? idempotencyKey : undefined),
    headers: () => [],
    async readBody() {
      // Serialised again, values that JSON cannot hold would silently change.
      checkFaithful(body)
      return [Buffer.from(JSON.stringify(body))]
    },
    presence,
    openStream,
    receivedAt: performance.now(),
  }
}
