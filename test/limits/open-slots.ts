import type { LoggedScope } from '../../src/limits/ledger.ts'
import { SlotBook } from '../../src/limits/slots/slot-book.ts'
import { SlotLedger } from '../../src/limits/slots/slot-ledger.ts'

export type OpenLedger = (clock: () => number, logged: readonly LoggedScope[]) => SlotLedger

/** The ledger of a process that serves with one thread. */
export const openLedger: OpenLedger = (clock, logged) => {
  const book = new SlotBook()
  const ledger = new SlotLedger(clock, book)
  book.fill(ledger.now(), logged)
  return ledger
}
