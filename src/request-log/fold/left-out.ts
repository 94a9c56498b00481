import { isKeyed, openedId, type SpooledRecord } from '../spool/record-lines.ts'

/** A call that has begun and is not in the log yet: most end soon, and are then written once. */
interface Begun {
  open: SpooledRecord
  mark: SpooledRecord | null
  since: number
}

/**
 * Calls whose beginning was read from the spool but not delivered, the oldest first. What it says of the records must
 * become true with one transaction; after a failure everything is read again from the position.
 */
export class LeftOut {
  readonly #begun = new Map<string, Begun>()

  /** The last record before all of them; `last` if there are none. */
  before(last: number): number {
    for (const { open } of this.#begun.values()) return open.before
    return last
  }

  /** When the oldest was read; null if there is none. */
  get since(): number | null {
    for (const { since } of this.#begun.values()) return since
    return null
  }

  clear(): void {
    this.#begun.clear()
  }

  /**
   * What to write now: these records, without open records that have no end, and without their marks. Includes earlier
   * open records of calls that end here: the log has no row of those.
   */
  take(records: readonly SpooledRecord[], now: number): SpooledRecord[] {
    const ended = new Set(records.flatMap(({ kind, text }) => (kind === 'close' ? openedId(text) : [])))
    const before: SpooledRecord[] = []
    for (const id of ended) {
      const begun = this.#begun.get(id)
      if (begun !== undefined) before.push(begun.open)
      this.#begun.delete(id)
    }
    const present = records.filter((record) => {
      if (record.kind === 'close') return true
      const id = openedId(record.text)
      // The fold ignores them, or reports them as unreadable.
      if (ended.has(id)) return true
      const begun = this.#begun.get(id)
      if (record.kind === 'commit') {
        if (begun !== undefined) begun.mark = record
        return begun === undefined
      }
      if (isKeyed(record.text)) return true
      if (begun === undefined) this.#begun.set(id, { open: record, mark: null, since: now })
      return false
    })
    return [...before, ...present]
  }

  /** Those that were read at this time or earlier: they are written now. */
  due(until: number): SpooledRecord[] {
    const records: SpooledRecord[] = []
    for (const [id, { open, mark, since }] of this.#begun) {
      if (since > until) break
      records.push(open, ...(mark === null ? [] : [mark]))
      this.#begun.delete(id)
    }
    return records
  }
}
