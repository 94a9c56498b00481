import assert from 'node:assert/strict'
import { type Claim, createIdempotency, type Idempotency } from '../../src/calls/idempotency/idempotency.ts'
import { contractError, type GatewayError } from '../../src/domain/errors.ts'
import type { ClaimedCall } from '../../src/domain/idempotency.ts'
import type { Presence } from '../../src/domain/presence.ts'
import type { Reply } from '../../src/http/call.ts'
import type { AttemptRecord } from '../../src/request-log/record.ts'

const CALLED = { kind: 'called' } as AttemptRecord

export interface Row extends ClaimedCall {
  identity: string
  startedAt: number
}

export type Told =
  | { kind: 'sent' }
  | { kind: 'told'; reply: Reply }
  | { kind: 'left' }
  | { kind: 'refused'; message: string }

/** One request of one caller, as `handleCall` would live it. */
export interface Caller {
  reported: Promise<Told>
  life: Parameters<Idempotency['enter']>[0] & { claim: Claim | null; attempts: AttemptRecord[] }
  row: Row
  leave(): void
}

function newPresence(): Presence & { leave(): void } {
  const listeners = new Set<() => void>()
  let left = false
  return {
    get left() {
      return left
    },
    onLeave(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    leave() {
      left = true
      for (const listener of listeners) listener()
    },
  }
}

/** A gateway with the log as a list; by default with memory for two calls and one outcome of them. */
function noStream(): never {
  throw new Error('no stream is expected here')
}

export function newWorld(bounds = { outcomeBytes: 1_500, identities: 2 }) {
  const rows: Row[] = []
  let now = 1_700_000_000_000
  let requests = 0
  let isDown = false
  const start = () =>
    createIdempotency({
      async find(keyId, idempotencyKey, since) {
        if (isDown) throw new Error('down')
        const identity = `${keyId} ${idempotencyKey}`
        return rows.findLast((row) => row.identity === identity && row.startedAt > since) ?? null
      },
      caughtUp: async () => undefined,
      onReplay: () => undefined,
      now: () => now,
      bounds,
    })
  let idempotency = start()

  function ask(idempotencyKey: string, bodyHash: string): Caller {
    const presence = newPresence()
    const id = `request-${++requests}`
    const row: Row = { identity: `key ${idempotencyKey}`, requestId: id, bodyHash, state: 'running', startedAt: now }
    const life: Caller['life'] = {
      id,
      key: { id: 'key' },
      startedAt: now,
      attempts: [],
      presence,
      endpoint: { error: contractError },
      claim: null,
      receiver: { presence, openStream: noStream },
      delivery: null,
    }
    const claimed = (claim: Claim) => {
      life.claim = claim
    }
    const reported = idempotency.enter(life, { idempotencyKey, bodyHash, idPrefix: 'request-' }, claimed).then(
      (first): Told => {
        if (first !== null) {
          return first.reply === null ? { kind: 'left' } : { kind: 'told', reply: first.reply as Reply }
        }
        rows.push(row)
        life.attempts.push(CALLED)
        return { kind: 'sent' }
      },
      (error: GatewayError): Told => {
        life.claim?.finish({ status: error.status, headers: {}, body: error.message }, null)
        return { kind: 'refused', message: error.message }
      },
    )
    return { reported, life, row, leave: presence.leave }
  }

  const drop = (row: Row) => rows.splice(rows.indexOf(row), 1)
  return {
    rows,
    ask,
    answer({ life, row }: Caller, body = `answer to ${row.bodyHash}`) {
      row.state = 'answered'
      const reply = { status: 200, headers: {}, body }
      life.claim?.finish(reply, { replay: reply })
    },
    fail({ life, row }: Caller) {
      drop(row)
      life.claim?.finish({ status: 502, headers: {}, body: 'failed' }, null)
    },
    breakOff({ life, row }: Caller) {
      drop(row)
      life.claim?.finish(null, null)
    },
    restart() {
      for (const row of rows) if (row.state === 'running') row.state = 'uncertain'
      idempotency = start()
    },
    wait: (milliseconds: number) => {
      now += milliseconds
    },
    now: () => now,
    goDown: (down: boolean) => {
      isDown = down
    },
  }
}

export const turn = () => new Promise((resolve) => setImmediate(resolve))

export async function sentCaller(world: ReturnType<typeof newWorld>, key: string, body: string): Promise<Caller> {
  const caller = world.ask(key, body)
  assert.deepEqual(await caller.reported, { kind: 'sent' })
  return caller
}
