import type { Locks } from '../../threads/lock.ts'
import type { LoggedScope, Scope } from '../ledger.ts'
import { Slot } from './slot.ts'
import { SLOT_WORDS } from './slot-figures.ts'

/** Slots are allocated this many at a time: half a megabyte. */
const CHUNK_SLOTS = 256
const SLOT_BYTES = SLOT_WORDS * Float64Array.BYTES_PER_ELEMENT
const CHUNK_BYTES = CHUNK_SLOTS * (SLOT_BYTES + Int32Array.BYTES_PER_ELEMENT)

/** What a thread must learn before it can use slots that it does not know; nothing else of the ledger is sent. */
export interface NewSlots {
  chunks: SharedArrayBuffer[]
  /** In the order of their slots. */
  scopes: Scope[]
}

/** 1: another gateway on this database enforces the limits. Shared by all threads. */
export type Standby = Int32Array<SharedArrayBuffer>

/** Which scope has which slot. One thread makes slots; the others learn of them with the snapshot that needs them. */
export class SlotBook {
  readonly standby: Standby
  readonly #chunks: SharedArrayBuffer[] = []
  readonly #slots: Slot[] = []
  readonly #byScope: Record<Scope['kind'], Map<string, Slot>> = { key: new Map(), workspace: new Map() }

  #isLearned = false

  constructor(standby: Standby = new Int32Array(new SharedArrayBuffer(4))) {
    this.standby = standby
  }

  get isStandby(): boolean {
    return Atomics.load(this.standby, 0) === 1
  }

  find(kind: Scope['kind'], id: string): Slot | undefined {
    return this.#byScope[kind].get(id)
  }

  all(): readonly Slot[] {
    return this.#slots
  }

  /** Only on the thread that makes slots. New ones are filled before any other thread knows of them. */
  ensure(scope: Scope, at: number, logged?: LoggedScope): Slot {
    const known = this.find(scope.kind, scope.id)
    if (known !== undefined) return known
    // Slots are known before the snapshot with the keys that use them.
    if (this.#isLearned) throw new Error(`there is no slot for the ${scope.kind} ${scope.id}`)
    if (this.#slots.length === this.#chunks.length * CHUNK_SLOTS) {
      this.#chunks.push(new SharedArrayBuffer(CHUNK_BYTES))
    }
    const slot = this.#add(scope)
    slot.fill(at, logged)
    return slot
  }

  /** Refills all slots from the log: calls that were admitted before no longer count. */
  fill(at: number, logged: readonly LoggedScope[]): void {
    for (const { scope } of logged) this.ensure(scope, at)
    const byScope = { key: new Map<string, LoggedScope>(), workspace: new Map<string, LoggedScope>() }
    for (const entry of logged) byScope[entry.scope.kind].set(entry.scope.id, entry)
    for (const slot of this.#slots) {
      slot.lock()
      slot.fill(at, byScope[slot.scope.kind].get(slot.scope.id))
      slot.unlock()
    }
  }

  /** What a thread that knows so many of each does not know. */
  since(known: { chunks: number; slots: number }): NewSlots {
    return {
      chunks: this.#chunks.slice(known.chunks),
      scopes: this.#slots.slice(known.slots).map(({ scope }) => scope),
    }
  }

  get size(): { chunks: number; slots: number } {
    return { chunks: this.#chunks.length, slots: this.#slots.length }
  }

  learn({ chunks, scopes }: NewSlots): void {
    this.#isLearned = true
    this.#chunks.push(...chunks)
    for (const scope of scopes) this.#add(scope)
  }

  #add(scope: Scope): Slot {
    const number = this.#slots.length
    const place = number % CHUNK_SLOTS
    const chunk = this.#chunks[Math.floor(number / CHUNK_SLOTS)]
    if (chunk === undefined) throw new RangeError(`the slot ${number} is in no chunk`)
    const words = new Float64Array(chunk, place * SLOT_BYTES, SLOT_WORDS)
    const locks: Locks = new Int32Array(chunk, CHUNK_SLOTS * SLOT_BYTES, CHUNK_SLOTS)
    const slot = new Slot(scope, number, words, { words: locks, place })
    this.#slots.push(slot)
    this.#byScope[scope.kind].set(scope.id, slot)
    return slot
  }
}
