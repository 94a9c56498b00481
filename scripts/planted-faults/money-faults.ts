import { type Fault, fault } from './fault.ts'

const BUDGET: Fault[] = [
  fault(
    'budget',
    'a full budget refuses nothing',
    'limits/slots/slot.ts',
    '? over : over | OVER_BUDGET',
    '? over : over',
  ),
  fault(
    'budget',
    'what a call has cost is not booked',
    'calls/settle.ts',
    'deps.ledger.settle(held, usedBy(record), position)',
    'deps.ledger.settle(held, NOTHING_USED, position)',
  ),
  fault(
    'budget',
    'nothing is held while a call runs',
    'limits/slots/slot-ledger.ts',
    'own.hold(at, money, hold.tokens ?? 0)',
    'own.hold(at, amountOf(0n as Picodollars), hold.tokens ?? 0)',
  ),
  fault(
    'budget',
    'the hold is that of the first entry, at a tenth',
    'calls/chain/chain-hold.ts',
    "if (fitness.kind !== 'usable') continue",
    "if (fitness.kind !== 'usable' || terms.length > 0) continue\n    if (fitness.candidate.bounds.outputTokens !== null) fitness.candidate.bounds.outputTokens = Math.ceil(fitness.candidate.bounds.outputTokens / 10)",
  ),
  fault(
    'budget',
    'answers cost a tenth less',
    'domain/pricing/price.ts',
    'list += BigInt(tokens) * prices[name]',
    "list += (BigInt(tokens) * prices[name] * (name === 'output' ? 9n : 10n)) / 10n",
  ),
  fault(
    'budget',
    'a fallback is priced as the first entry',
    'calls/price.ts',
    'const own = costOf(served, served.entry, call)',
    'const own = costOf(served, call.resolved.chain[0] ?? served.entry, call)',
  ),
  fault(
    'budget',
    'a hard budget is a soft one',
    'limits/slots/slot-limits.ts',
    "isHard: budget.mode !== 'soft'",
    'isHard: false',
  ),
  fault(
    'budget',
    'a fallback is free',
    'calls/price.ts',
    'const own = costOf(served, served.entry, call)',
    'const own = served.position > 0 ? FREE : costOf(served, served.entry, call)',
  ),
]

const LEFT: Fault[] = [
  fault(
    'hang-up',
    'a caller who leaves early leaves nothing behind',
    'calls/unconfirmed.ts',
    'record.unconfirmed = { most: most.toString(), estimate',
    'if (most > 0n) return\n  record.unconfirmed = { most: most.toString(), estimate',
  ),
  fault(
    'hang-up',
    'the row forgets what is unconfirmed',
    'calls/settle.ts',
    'unconfirmedMost: unconfirmed?.most ?? null',
    'unconfirmedMost: null',
  ),
  fault(
    'hang-up',
    'a stream that was left is free',
    'calls/settle.ts',
    'costPicodollars: cost?.picodollars?.toString() ?? null',
    "costPicodollars: stream?.ended === 'caller_left' ? '0' : (cost?.picodollars?.toString() ?? null)",
  ),
  fault(
    'hang-up',
    'who leaves has no row',
    'calls/settle.ts',
    'position = await deps.requestLog.close(record, ended.call.opening?.text)',
    "if (ended.error === 'caller-left') return\n    position = await deps.requestLog.close(record, ended.call.opening?.text)",
  ),
]

const KILLS: Fault[] = [
  fault(
    'kills',
    'the answer does not wait for its row',
    'calls/settle.ts',
    'position = await deps.requestLog.close(record, ended.call.opening?.text)',
    'position = 0\n    setTimeout(() => void deps.requestLog.close(record, ended.call.opening?.text), 300)',
  ),
  fault(
    'kills',
    'the provider is asked before the row is open',
    'calls/admit.ts',
    'return deps.requestLog.open(record, text).then(',
    'setTimeout(() => void deps.requestLog.open(record, text), 300)\n  return Promise.resolve(0).then(',
  ),
  fault(
    'kills',
    'calls of a dead process stay open',
    'request-log/fold/fold-worker.ts',
    'const interrupted = await closeInterrupted(db, settings.onlyProcess ? null : node, Date.now())',
    'const interrupted = 0',
  ),
  fault(
    'kills',
    'the start begins behind what was left',
    'request-log/fold/fold-worker.ts',
    "while ((await foldBatch(false, upTo)) !== 'nothing')",
    "position = upTo ?? (position ?? (await knownPosition()))\n  while ((await foldBatch(false, upTo)) !== 'nothing')",
  ),
  fault(
    'kills',
    'the row has another status than the answer',
    'calls/settle.ts',
    "'rest' in reply ? 200 : (refusedStatus(error) ?? reply.status)",
    "'rest' in reply ? 200 : 200",
  ),
  fault(
    'kills',
    'a cost is rounded to cents in the row',
    'calls/settle.ts',
    'costPicodollars: cost?.picodollars?.toString() ?? null',
    'costPicodollars: cost?.picodollars == null ? null : String((cost.picodollars / 10_000_000n) * 10_000_000n)',
  ),
  fault(
    'kills',
    'every tenth record is skipped',
    'request-log/fold/fold.ts',
    'const fresh = rows.flatMap(recordsOf)',
    'const fresh = rows.flatMap(recordsOf).filter(({ seq }) => seq % 10 !== 9)',
  ),
  fault(
    'kills',
    'beginnings of calls are not written',
    'request-log/open-spool.ts',
    'const durable = spool.append(openLine(record, text))',
    'const durable = Promise.resolve(0)',
  ),
]

export const MONEY_FAULTS: readonly Fault[] = [...BUDGET, ...LEFT, ...KILLS]
