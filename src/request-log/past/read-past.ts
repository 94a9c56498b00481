import { setImmediate as nextTurn } from 'node:timers/promises'
import { crc32 } from 'node:zlib'
import { type Kysely, sql } from 'kysely'
import type { Database } from '../../store/engine/schema.ts'
import { type Position, readPositions } from '../fold/position.ts'
import type { LeftCost } from '../left-costs.ts'
import { closedRow, committed, type FullRow, openRow } from '../row.ts'
import { openSince } from '../search/windows.ts'
import { SpoolReader } from '../spool/reader.ts'
import { openedId, readClose, readCommit, readOpen, recordsOf, type SpooledRecord } from '../spool/record-lines.ts'
import { findSpending } from './find-spending.ts'

/** A spool with records that the database does not have, up to the last one of the processes before. */
export interface PastSpool {
  folder: string
  /** Its id. */
  spool: string
  position: Position
  upTo: number
  /** The thread that wrote it no longer exists: its files are removed once the database has them. */
  isGone: boolean
}

/** What those records add to what the database says, once all of them are folded and what was cut off is closed. */
export interface Past {
  /** By the hour in which the calls began. */
  spent: (Payer & { hour: number; cost: bigint })[]
  /** Of the last minutes. */
  seconds: (Payer & { second: number; requests: number; tokens: number })[]
  /** Calls that were cut off: all that was held counts, which `spent` has as well. */
  left: LeftCost[]
  /** Whether a call with this `Idempotency-Key` may be among them; certain only when it is not. */
  mayHave(keyId: string, idempotencyKey: string): boolean
}

interface Payer {
  keyId: string
  workspace: string
}

/** A call that has begun, without an end so far. */
interface Begun {
  /** What the database has of it; null: nothing, it is all in the spool. */
  row: BegunRow | null
  open: string
  mark: string | null
}

type BegunRow = Pick<FullRow, (typeof BEGUN_COLUMNS)[number]>

const BEGUN_COLUMNS = [
  ...(['id', 'key_id', 'workspace', 'started_at', 'hold_tokens', 'hold_picodollars'] as const),
  ...(['hold_added_picodollars', 'unconfirmed_policy'] as const),
  ...(['cost_least_picodollars', 'streamed', 'first_content_ms', 'prompt_tokens', 'completion_tokens'] as const),
]

const HOUR_MS = 3_600_000
/** Longer than limits remember single calls, however long this takes. */
const RECENT_MS = 10 * 60_000

/** The spools as they are; they must not be folded while this runs. */
export async function pastSpools(
  db: Kysely<Database>,
  spools: readonly Pick<PastSpool, 'folder' | 'spool' | 'isGone'>[],
): Promise<PastSpool[]> {
  const found: PastSpool[] = []
  for (const { folder, spool, isGone } of spools) {
    const reader = new SpoolReader(folder)
    const upTo = reader.end()?.seq ?? 0
    reader.close()
    found.push({ folder, spool, isGone, position: await readPositions(db, spool), upTo })
  }
  return found
}

/**
 * Reads what earlier processes have left, so that calls can be served before the database has it. `node` null: every
 * open row is one of theirs.
 */
export async function readPast(
  db: Kysely<Database>,
  spools: readonly PastSpool[],
  { node, now }: { node: string | null; now: number },
): Promise<Past> {
  const reading = new Reading(now - RECENT_MS, await openRows(db, node, now))
  for (const { folder, position, upTo } of spools) {
    const reader = new SpoolReader(folder)
    try {
      let after = position.seq
      for (let rows = reader.read(after); rows.length > 0 && after < upTo; rows = reader.read(after)) {
        for (const row of rows) for (const record of recordsOf(row)) reading.take(record, position.ends)
        after = rows.at(-1)?.seq ?? upTo
        await nextTurn()
      }
    } finally {
      reader.close()
    }
  }
  return reading.end()
}

async function openRows(db: Kysely<Database>, node: string | null, now: number): Promise<BegunRow[]> {
  let rows = db
    .selectFrom('requests')
    .select([...BEGUN_COLUMNS])
    // A literal, not a parameter: only so is the partial index of open rows used.
    .where('state', '=', sql.lit('open'))
    .where('started_at', '>=', await openSince(db, now))
  if (node !== null) rows = rows.where('node', '=', node)
  return rows.execute()
}

class Reading {
  readonly #recent: number
  readonly #begun = new Map<string, Begun>()
  /** By payer and hour. */
  readonly #spent = new Map<string, Map<number, bigint>>()
  readonly #seconds: Past['seconds'] = []
  readonly #left: LeftCost[] = []
  /** Hashes of key and idempotency key: a few bytes each, for up to a million. */
  readonly #keyed = new Set<number>()

  constructor(recent: number, rows: readonly BegunRow[]) {
    this.#recent = recent
    for (const row of rows) this.#begun.set(row.id, { row, open: '', mark: null })
  }

  /** Ends up to `ends` are in the database. */
  take({ kind, seq, text }: SpooledRecord, ends: number): void {
    const id = openedId(text)
    const begun = this.#begun.get(id)
    if (kind === 'open') {
      if (begun === undefined) this.#begun.set(id, { row: null, open: text, mark: null })
    } else if (kind === 'commit') {
      if (begun !== undefined) begun.mark = text
    } else {
      this.#begun.delete(id)
      if (seq > ends) this.#close(text, begun?.row ?? null)
    }
  }

  end(): Past {
    for (const begun of this.#begun.values()) this.#cutOff(begun)
    const keyed = this.#keyed
    return {
      spent: [...this.#spent].flatMap(([payer, hours]) => {
        const [workspace, keyId] = JSON.parse(`[${payer}]`) as [string, string]
        return Array.from(hours, ([hour, cost]) => ({ keyId, workspace, hour, cost }))
      }),
      seconds: this.#seconds,
      left: this.#left,
      mayHave: (keyId, idempotencyKey) => keyed.has(fingerprint(keyId, idempotencyKey)),
    }
  }

  #close(text: string, known: BegunRow | null): void {
    try {
      const { payer, startedAt, idempotencyKey, cost, unconfirmed } = findSpending(text)
      if (startedAt >= this.#recent) this.#count(closedRow(readClose(text), ''), known)
      if (idempotencyKey !== 'null') this.#keep(payer, idempotencyKey)
      if (cost !== 'null') this.#spend(payer, startedAt, BigInt(cost.slice(1, -1)))
      if (unconfirmed !== 'null') this.#spend(payer, startedAt, BigInt(unconfirmed.slice(1, -1)))
    } catch {
      // The fold sets it aside, with the error.
    }
  }

  /** Must match `interruption`. */
  #cutOff({ row: known, open, mark }: Begun): void {
    try {
      const row: BegunRow & { idempotency_key?: string | null } = known ?? openRow(readOpen(open), '')
      if (mark !== null) Object.assign(row, committed(readCommit(mark)))
      const { id, key_id: keyId, workspace, started_at: startedAt } = row
      const cost = countedAfter(row)
      if (startedAt >= this.#recent) this.#count(row, known)
      const payer = `${JSON.stringify(workspace)},${JSON.stringify(keyId)}`
      if (typeof row.idempotency_key === 'string') this.#keep(payer, JSON.stringify(row.idempotency_key))
      this.#spend(payer, startedAt, cost)
      if (cost > 0n) this.#left.push({ id, keyId, workspace, startedAt, cost })
    } catch {
      // As above.
    }
  }

  #keep(payer: string, idempotencyKey: string): void {
    const [, keyId] = JSON.parse(`[${payer}]`)
    this.#keyed.add(fingerprint(keyId, JSON.parse(idempotencyKey)))
  }

  #spend(payer: string, startedAt: number, cost: bigint): void {
    if (cost === 0n) return
    let hours = this.#spent.get(payer)
    if (hours === undefined) {
      hours = new Map()
      // A copy: a part of a text keeps all of it in memory.
      this.#spent.set(Buffer.from(payer).toString(), hours)
    }
    const hour = startedAt - (startedAt % HOUR_MS)
    hours.set(hour, (hours.get(hour) ?? 0n) + cost)
  }

  /** A row that the database has counts there, with all that was held. Calls that were never admitted count nowhere. */
  #count(row: BegunRow, known: BegunRow | null): void {
    if (row.hold_tokens === null) return
    const { key_id: keyId, workspace, started_at: startedAt } = row
    const used = (row.prompt_tokens ?? 0) + (row.completion_tokens ?? 0)
    const [requests, tokens] = known === null ? [1, used] : [0, used - (known.hold_tokens ?? 0)]
    this.#seconds.push({ keyId, workspace, second: Math.floor(startedAt / 1000), requests, tokens })
  }
}

/** Cost or unconfirmed, of a call without an end. */
function countedAfter(row: BegunRow): bigint {
  if (row.hold_picodollars === null) return 0n
  const held = BigInt(row.hold_picodollars) + BigInt(row.hold_added_picodollars ?? 0)
  const hasContent = row.streamed === 1 && row.first_content_ms !== null
  if (!hasContent) return row.unconfirmed_policy === null ? held : 0n
  const least = BigInt(row.cost_least_picodollars ?? 0)
  return least > held ? least : held
}

function fingerprint(keyId: string, idempotencyKey: string): number {
  return crc32(idempotencyKey, crc32(keyId)) | 0
}
