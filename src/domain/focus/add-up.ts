import type { Charge } from './charges.ts'
import type { FocusRecord } from './columns.ts'

type Place = Pick<FocusRecord, 'day' | 'workspace' | 'keyId' | 'keyName'>

/** The charges of a day, added up where everything but the amounts is the same. */
export class DayCharges {
  readonly #records = new Map<string, FocusRecord>()

  add(place: Place, charge: Charge): void {
    const { priced, quantity, billed, list, unconfirmed, resale, ...same } = charge
    const kind = [priced?.unit, priced?.price, billed === null, unconfirmed === null, resale === null]
    const key = JSON.stringify([place.workspace, place.keyId, ...Object.values(same), ...kind])
    const there = this.#records.get(key)
    this.#records.set(key, there === undefined ? { ...place, charge } : { ...there, charge: sum(there.charge, charge) })
  }

  /** In an order that does not depend on that of the calls. */
  records(): FocusRecord[] {
    return [...this.#records].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, record]) => record)
  }
}

function sum(a: Charge, b: Charge): Charge {
  return {
    ...a,
    quantity: a.quantity + b.quantity,
    billed: a.billed === null || b.billed === null ? null : a.billed + b.billed,
    list: a.list + b.list,
    resale: a.resale === null || b.resale === null ? null : a.resale + b.resale,
    unconfirmed: a.unconfirmed &&
      b.unconfirmed && {
        estimate: a.unconfirmed.estimate + b.unconfirmed.estimate,
        most: a.unconfirmed.most + b.unconfirmed.most,
      },
  }
}
