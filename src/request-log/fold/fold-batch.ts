import { errorText } from '../../store/engine/store-error.ts'
import { COMMIT_COLUMNS, closedRow, committed, type FoldedRow, openRow, REQUEST_COLUMNS } from '../row.ts'
import { openedId, readClose, readCommit, readOpen, type SpooledRecord } from '../spool/record-lines.ts'

export interface Merged {
  row: FoldedRow
  /** The log has no row of it, unless its node was forgotten. */
  isNew: boolean
}

type Rejected = { node: string; seq: number; kind: string; payload: string; error: string }

export interface Batch {
  opened: Merged[]
  /** Marks of calls that are open in the log: their values, in the order of `COMMIT_COLUMNS`. */
  commits: unknown[][]
  closed: Merged[]
  rejected: Rejected[]
}

/** A call opened and closed within one batch is written once. `pause` is called between records. */
export function mergeRecords(records: readonly SpooledRecord[], node: string, pause = () => {}): Batch {
  const opened = new Map<string, Merged>()
  const closed = new Map<string, Merged>()
  const rejected: Rejected[] = []
  const read = (kind: SpooledRecord['kind'], each: (text: string) => void) => {
    for (const record of records) {
      if (record.kind !== kind) continue
      pause()
      try {
        each(record.text)
      } catch (error) {
        rejected.push({ node, seq: record.seq, kind: record.kind, payload: record.text, error: errorText(error) })
      }
    }
  }
  read('close', (text) => {
    const call = readClose(text)
    const request = complete(closedRow(call, node))
    if (!closed.has(request.row.id)) closed.set(request.row.id, request)
  })
  // Most are closed already, and a close record repeats the fields of its open record.
  read('open', (text) => {
    const ended = closed.get(openedId(text))
    if (ended !== undefined) {
      ended.isNew = true
      return
    }
    const request = complete(openRow(readOpen(text), node))
    if (!closed.has(request.row.id)) opened.set(request.row.id, request)
  })
  const commits: unknown[][] = []
  read('commit', (text) => {
    const id = openedId(text)
    if (closed.has(id)) return
    const mark = committed(readCommit(text))
    const request = opened.get(id)
    if (request === undefined) commits.push(COMMIT_COLUMNS.map((column) => mark[column] ?? null))
    else Object.assign(request.row, mark)
  })
  return { opened: [...opened.values()], commits, closed: [...closed.values()], rejected }
}

const LARGEST_INTEGER = 2n ** 63n - 1n
/** The last whose date has eight digits. */
const LAST_DAY = Date.parse('9999-12-31')

function complete(row: FoldedRow): Merged {
  const missing = (row.values as unknown[]).indexOf(undefined)
  if (missing !== -1) throw new TypeError(`the record has no ${REQUEST_COLUMNS[missing]}`)
  const { cost_picodollars: cost, started_at: startedAt } = row
  if (startedAt < 0 || startedAt > LAST_DAY) throw new RangeError('the start of the call is no date')
  if (typeof cost === 'bigint' && cost > LARGEST_INTEGER) throw new RangeError('the cost exceeds 64 bits')
  return { row, isNew: false }
}
