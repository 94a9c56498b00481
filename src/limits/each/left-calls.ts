import { listed } from '../amount.ts'
import { listOf } from '../counters/answers.ts'
import type { Connection } from '../counters/connection.ts'
import { EACH_FREE, EACH_LEFT } from '../counters/scripts/each-end.ts'
import type { EachLog } from './each-book.ts'

interface Reading {
  connection: Connection
  log: EachLog
}

/** What nodes that are gone held goes free, and counts, as their rows say: once the log has come so far. */
export async function followLeft({ connection, log }: Reading, generation: string, clock: string): Promise<void> {
  const { calls } = await connection.run(EACH_LEFT, { generation })
  const left = listOf(calls).map((each) => {
    const [id, node, position] = listOf(each)
    return { id: String(id), node: String(node), position: Number(position) }
  })
  if (left.length === 0) return
  const ended = await log.ended(left.map(({ id }) => id))
  const rows = new Map(ended.calls.map((call) => [call.id, call]))
  for (const { id, node, position } of left) {
    const row = rows.get(id)
    const isAllRead = position > 0 && (ended.positions.get(node) ?? 0) >= position
    // Without a row when the log has everything of its node: nothing was sent.
    const cost = row === undefined ? (isAllRead ? 0n : null) : row.cost
    if (cost === null) continue
    const [money, moneyRest] = listed(cost)
    const given = { money: String(money), money_rest: String(moneyRest) }
    await connection.run(EACH_FREE, { clock, generation, id, at: String(row?.at ?? 0), ...given })
  }
}
