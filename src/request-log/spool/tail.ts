import { setImmediate as nextTurn } from 'node:timers/promises'
import { closedRow, openRow } from '../row.ts'
import { SpoolReader } from './reader.ts'
import { readClose, readOpen, recordsOf, type SpooledRecord } from './record-lines.ts'
import { listSegments } from './segments.ts'

/** Money and counts of the last minute that a part of a spool adds to. */
export interface SpoolTail {
  spent: { keyId: string; workspace: string; startedAt: number; cost: bigint }[]
  seconds: { keyId: string; workspace: string; second: number; requests: number; tokens: number }[]
}

/** A spool's records between two positions; null: they have been removed. */
export async function readTail(folder: string, after: number, upTo: number): Promise<SpoolTail | null> {
  const tail: SpoolTail = { spent: [], seconds: [] }
  if (after >= upTo) return tail
  const oldest = listSegments(folder)[0]
  if (oldest === undefined || oldest.after > after) return null
  const reader = new SpoolReader(folder)
  try {
    let position = after
    for (let rows = reader.read(position); rows.length > 0 && position < upTo; rows = reader.read(position)) {
      for (const row of rows) for (const record of recordsOf(row)) if (record.seq <= upTo) add(tail, record)
      position = rows.at(-1)?.seq ?? upTo
      await nextTurn()
    }
    return tail
  } finally {
    reader.close()
  }
}

function add({ spent, seconds }: SpoolTail, { kind, text }: SpooledRecord): void {
  if (kind === 'commit') return
  const row = kind === 'open' ? openRow(readOpen(text), '') : closedRow(readClose(text), '')
  const { key_id: keyId, workspace, started_at: startedAt } = row
  const [second, hold] = [Math.floor(startedAt / 1000), row.hold_tokens]
  if (kind === 'open') {
    seconds.push({ keyId, workspace, second, requests: 1, tokens: hold ?? 0 })
    return
  }
  const cost = BigInt(row.cost_picodollars ?? 0) + BigInt(row.unconfirmed_counted_picodollars ?? 0)
  if (cost > 0n) spent.push({ keyId, workspace, startedAt, cost })
  // A call that was never admitted has used up nothing of its minute.
  if (hold === null) return
  const tokens = (row.prompt_tokens ?? 0) + (row.completion_tokens ?? 0) - hold
  if (tokens !== 0) seconds.push({ keyId, workspace, second, requests: 0, tokens })
}
