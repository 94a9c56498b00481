import { parentPort, workerData } from 'node:worker_threads'
import { createRandom } from '../../simulator/random.ts'
import { asPicodollars } from '../../src/domain/pricing/price.ts'
import type { HeldCall } from '../../src/limits/admission.ts'
import { type NewSlots, SlotBook } from '../../src/limits/slots/slot-book.ts'
import { SlotLedger } from '../../src/limits/slots/slot-ledger.ts'

/** One of several threads that admit and end calls on the same scopes as fast as they can. */
const { slots, calls, seed } = workerData as {
  slots: NewSlots
  calls: number
  seed: number
}
const book = new SlotBook()
book.learn(slots)
const ledger = new SlotLedger(Date.now, book)
const random = createRandom(seed + 1)
const PARALLEL = 9
const workspace = { name: 'first', limits: { max_parallel: PARALLEL } }
const held: { call: HeldCall; hold: bigint }[] = []
const exceeded: string[] = []
let [spent, tokens, admitted, refused] = [0n, 0, 0, 0]

function endOne(): void {
  const { call, hold } = held.shift() ?? { call: null, hold: 0n }
  if (call === null) return
  const isMade = random() < 0.9
  const cost = isMade ? BigInt(Math.floor(random() * Number(hold))) : 0n
  if (isMade) ledger.settle(call, { picodollars: asPicodollars(cost), tokens: 1 })
  else ledger.release(call)
  spent += cost
  tokens += isMade ? 1 : 0
}

for (let made = 0; made < calls; made++) {
  const id = ['a', 'b', 'c'][Math.floor(random() * 3)] ?? 'a'
  const hold = BigInt(Math.floor(random() * 3e12))
  const payer = { key: { id, limits: null }, workspace }
  const decision = ledger.admit(payer, { picodollars: asPicodollars(hold), tokens: 2 }, `${seed}-${made}`)
  if (decision.kind === 'admitted') {
    admitted += 1
    held.push({ call: decision.call, hold })
  } else refused += 1
  const { inFlight } = ledger.look({ kind: 'workspace', id: 'first' })
  if (inFlight > PARALLEL) exceeded.push(`${inFlight} calls at the same time`)
  while (held.length > 0 && (decision.kind === 'refused' || random() < 0.4)) endOne()
}
while (held.length > 0) endOne()
parentPort?.postMessage({ spent, tokens, admitted, refused, exceeded })
