/** One mistake in the gateway's code, and the proof that must find it. */
export interface Fault {
  name: string
  /** As `switchyard prove --only` names it. */
  proof: string
  file: string
  /** What stands there, once. */
  instead: string
  write: string
}

function fault(proof: string, name: string, file: string, instead: string, write: string): Fault {
  return { proof, name, file: `src/${file}`, instead, write }
}

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
]

const HOSTILE: Fault[] = [
  fault(
    'hostile',
    'the case of a key does not matter',
    'domain/key.ts',
    "return hash('sha256', value, 'hex')",
    "return hash('sha256', value.toLowerCase(), 'hex')",
  ),
  fault(
    'hostile',
    'the end of a key does not matter',
    'domain/key.ts',
    "return hash('sha256', value, 'hex')",
    "return hash('sha256', value.slice(0, 36), 'hex')",
  ),
  fault(
    'hostile',
    'the first of two keys counts',
    'endpoints/bearer-key.ts',
    '/^Bearer +(\\S+) *$/i',
    '/^Bearer +([^\\s,]+)/i',
  ),
  fault(
    'hostile',
    'a gateway key may administer',
    'management/access/authorize.ts',
    'if (access === undefined)',
    'if (access === undefined && !value.startsWith("gw_live_"))',
  ),
  fault(
    'hostile',
    'a caller without a key is the last one',
    'endpoints/bearer-key.ts',
    'if (value === undefined) {',
    "if (value !== undefined) last = value\n  else if (last !== '') return last\n  if (value === undefined) {",
  ),
  fault(
    'hostile',
    'whoever calls this machine may administer',
    'management/access/authorize.ts',
    "if (token === undefined) throw new GatewayError('unauthorized', text)",
    "if (token === undefined || /^127|^x/.test(call.header('host') ?? '')) return { actor: { id: 'x', name: 'x' }, access: { role: 'admin', workspaces: null } as never, session: null, expiresAt: null }",
  ),
]

const CACHES: Fault[] = [
  fault(
    'prompt-cache',
    'every call begins with its own name',
    'providers/wire-body.ts',
    'return source === null || cuts === null ? JSON.stringify(wire) : spliced(source, cuts)',
    'return JSON.stringify({ metadata: { at: String(performance.now()) }, ...wire })',
  ),
  fault(
    'prompt-cache',
    'markers are taken out',
    'providers/wire-body.ts',
    'return source === null || cuts === null ? JSON.stringify(wire) : spliced(source, cuts)',
    "return JSON.stringify(wire, (name, value) => (name === 'cache_control' ? undefined : value))",
  ),
  fault(
    'prompt-cache',
    'what was said last comes first',
    'providers/wire-body.ts',
    'return source === null || cuts === null ? JSON.stringify(wire) : spliced(source, cuts)',
    "return JSON.stringify({ ...wire, messages: (wire['messages'] as unknown[]).toReversed() })",
  ),
  fault(
    'prompt-cache',
    'texts are cut at a length that grows',
    'providers/wire-body.ts',
    'return source === null || cuts === null ? JSON.stringify(wire) : spliced(source, cuts)',
    "const { length } = wire['messages'] as unknown[]; return JSON.stringify(wire, (_, value) => (typeof value === 'string' && value.length > 1000 ? value.slice(length) : value))",
  ),
]

const MEMORY: Fault[] = [
  fault(
    'memory',
    'every body is remembered',
    'calls/settle.ts',
    'const { held } = ended.call',
    'const { held } = ended.call; ((globalThis as { all?: Buffer[] }).all ??= []).push(Buffer.alloc(ended.call.body?.length ?? 0, 1))',
  ),
]

const SECRETS: Fault[] = [
  fault(
    'secrets',
    'the key of a caller is printed',
    'calls/authenticate.ts',
    'deps.noteUse(found.id, now)',
    "deps.noteUse(found.id, now)\n  console.log(call.header('authorization'))",
  ),
  fault(
    'secrets',
    'a wrong key is printed',
    'calls/authenticate.ts',
    'throw unknownKey()',
    "{\n    console.error(call.header('authorization'))\n    throw unknownKey()\n  }",
  ),
  fault(
    'secrets',
    'why a call failed is kept with its words',
    'calls/why.ts',
    'const { kept, param } = error.worded',
    'const { param } = error.worded\n  const kept = error.message',
  ),
  fault(
    'secrets',
    'a bearer token is its own hash',
    'domain/key.ts',
    "return hash('sha256', value, 'hex')",
    'return value',
  ),
]

export const FAULTS: readonly Fault[] = [...BUDGET, ...LEFT, ...KILLS, ...HOSTILE, ...CACHES, ...MEMORY, ...SECRETS]
