import type { Kysely } from 'kysely'
import { createFold } from '../../src/request-log/fold/fold.ts'
import { readPosition } from '../../src/request-log/fold/position.ts'
import type { CloseRecord } from '../../src/request-log/record.ts'
import { closeLine } from '../../src/request-log/spool/record-lines.ts'
import type { Database } from '../../src/store/engine/schema.ts'
import { fc } from '../property.ts'
import { closeRecord } from '../test-store.ts'
import { anyUsage } from './any-usage.ts'

const quantity = fc.oneof(
  { weight: 9, arbitrary: fc.integer({ min: 1, max: 90_000 }) },
  fc.constant(Number.MAX_SAFE_INTEGER),
)
/** Most calls use tokens alone. */
const uses = fc.oneof(
  { weight: 3, arbitrary: fc.constant(null) },
  fc.dictionary(fc.constantFrom('image:1024x1024:high', 'audio_input', 'character'), quantity, { maxKeys: 2 }),
)
const tokens = fc.oneof(fc.constant(0), fc.nat(300_000), fc.constant(Number.MAX_SAFE_INTEGER))
const calls = fc.record({
  keyId: fc.constantFrom('key-1', 'key-2'),
  route: fc.constantFrom('fast', 'smart', null),
  provider: fc.constantFrom('first', 'second', null),
  model: fc.constantFrom('model-1', 'model-2', null),
  code: fc.constantFrom(null, null, 'rate_limited', 'caller_left'),
  fallback: fc.boolean(),
  startedAt: fc.constantFrom(0, 3_599_999, 3_600_000, 3_600_000, 5_000_000, 7_200_001, 200_000_000),
  usage: fc.option(anyUsage(tokens)),
  uses,
  costPicodollars: fc.option(fc.bigInt(0n, 2n ** 55n).map(String)),
  upstreamMs: fc.option(fc.oneof(fc.constantFrom(0, 9, 10, 299_999, 300_000), fc.nat(400_000))),
  gatewayMicroseconds: fc.nat(10_000),
  streamed: fc.boolean(),
  ended: fc.constantFrom(null, 'finished', 'caller_left'),
  endpoint: fc.constantFrom('chat', 'embeddings', null),
  user: fc.constantFrom(null, 'ada', 'grace'),
  session: fc.constantFrom(null, 'session-1', 'session-2', 'session-3'),
  tags: fc.constantFrom<Record<string, string>>({}, { team: 'a' }, { 'x"team': 'a', team: 'b' }, { n: '1', team: 'a' }),
})

/** Only a call that failed has a reason. */
const why = fc.constantFrom<Pick<CloseRecord, 'reason' | 'param' | 'providerCode'>>(
  { reason: 'The limit of this key is 100% used.', param: null, providerCode: 'slow_down' },
  { reason: 'messages[0].role: is missing', param: 'messages[0].role', providerCode: null },
  { reason: 'a_b', param: 'messages_x', providerCode: null },
)

/** A closed call of any kind, in one of a few hours. */
export const anyCall = fc
  .tuple(calls, why, fc.constantFrom(0, 1, 250, 250, 4_000, 90_000))
  .map(([call, reasons, durationMs]): AnyCall & typeof call => ({
    ...call,
    uses: call.usage === null ? null : call.uses,
    ...(call.code !== null && reasons),
    finishedAt: call.startedAt + durationMs,
  }))

export type AnyCall = Partial<CloseRecord>

/** Logs the calls in a workspace as the ledger would, sums included. */
export async function logCalls(db: Kysely<Database>, workspace: string, calls: readonly AnyCall[]): Promise<void> {
  const after = await readPosition(db, workspace)
  const rows = calls.map((call, index) => {
    const number = String(index).padStart(6, '0')
    const record = closeRecord(`${workspace}-${number}`, { ...call, workspace })
    return { seq: after + index + 1, payload: closeLine(record) }
  })
  await createFold(db, workspace).fold(after, rows)
}
