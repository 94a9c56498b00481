import { assess, type ChainDeps, newSituation, type Situation } from '../src/calls/chain/candidate.ts'
import { chainHold } from '../src/calls/chain/chain-hold.ts'
import { createCircuits } from '../src/calls/chain/circuits.ts'
import { createQuirks } from '../src/calls/chain/quirks.ts'
import type { ChatRequest } from '../src/domain/chat.ts'
import type { Limits } from '../src/domain/limits.ts'
import { asPicodollars, compilePrice, NO_PRICES, type PriceList } from '../src/domain/pricing/price.ts'
import type { RegistryModel, Snapshot } from '../src/domain/snapshot.ts'
import { rateHeaders } from '../src/limits/headers.ts'
import type { CallHold } from '../src/limits/ledger.ts'
import { createSpendLedger } from '../src/limits/memory-ledger.ts'
import type { Payer } from '../src/limits/spend-ledger.ts'
import { FAMILIES } from '../src/providers/families.ts'
import { requestBody } from './bodies.ts'

/** What one call pays for its limits, in microseconds of CPU. */
export interface AdmissionCost {
  /** Working out the hold, the decision, the settlement and the headers, all limits set on key and workspace. */
  total: number
  /** Of it the ledger alone: decision and settlement. */
  ledger: number
  /** Putting the request into the words of both entries: the walk along the chain uses that again, so it is no part of the total. */
  translation: number
}

const LIMITS: Limits = {
  rpm: 1_000_000_000,
  tpm: 1_000_000_000,
  max_parallel: 1_000_000_000,
  budget: { usd: '999999999', per: 'month', mode: 'hard' },
}

/** Calls that run at the same time, each settled after the others were admitted. */
const IN_FLIGHT = 32

/** In the process itself, because a socket would cost more than what is measured. */
export function measureAdmission(calls: number): AdmissionCost {
  const { newCall, deps } = scene()
  const payer: Payer = { key: { id: 'k', limits: LIMITS }, workspace: { name: 'default', limits: LIMITS } }
  const ledger = createSpendLedger(Date.now, [])
  const use = { picodollars: asPicodollars(1_000_000_000n), tokens: 250 }
  const fixed = chainHold(newCall(), deps)

  function serve(holdOf: () => CallHold, afterwards: () => void): void {
    const decisions = Array.from({ length: IN_FLIGHT }, () => ledger.admit(payer, holdOf(), 'call'))
    for (const decision of decisions) {
      if (decision.kind === 'refused') throw new Error('the limits of the measurement are too low')
      afterwards()
      ledger.settle(decision.call, use)
    }
  }
  const ledgerAlone = microseconds(calls, () =>
    serve(
      () => fixed,
      () => {},
    ),
  )
  const whole = microseconds(calls, () =>
    serve(
      () => chainHold(newCall(), deps),
      () => rateHeaders(payer, ledger),
    ),
  )
  const translation = microseconds(calls, () => {
    for (let call = 0; call < IN_FLIGHT; call++) {
      const fresh = newCall()
      for (const [position, entry] of fresh.chain.entries()) assess(entry, position, fresh, deps)
    }
  })
  return { total: whole - translation, ledger: ledgerAlone, translation }
}

export function admissionText({ total, ledger, translation }: AdmissionCost): string {
  const [all, own, words] = [total, ledger, translation].map((figure) => figure.toFixed(1))
  return `\nLimits, in CPU a call: ${all} µs, of it ${own} in the ledger (and ${words} for words that the call needs anyway)\n`
}

/** CPU a call; the first quarter is not measured, for its code is still being compiled. */
function microseconds(calls: number, work: () => void): number {
  const rounds = Math.ceil(calls / IN_FLIGHT)
  for (let round = 0; round < rounds / 4; round++) work()
  const began = process.cpuUsage()
  for (let round = 0; round < rounds; round++) work()
  const { user, system } = process.cpuUsage(began)
  return (user + system) / (rounds * IN_FLIGHT)
}

/** A route with an entry of each family, both priced, and a request as callers send it. */
function scene(): { newCall(): Situation; deps: ChainDeps } {
  const request = JSON.parse(requestBody('fast')) as ChatRequest
  const entries = [...FAMILIES].map(([family, { builtin }]) => ({ family, name: builtin.name, model: 'a-model' }))
  const snapshot: Snapshot = {
    workspaces: new Map(),
    keys: new Map(),
    valuesByHash: new Map(),
    providers: new Map(
      entries.map(({ family, name }) => [
        name,
        { name, family, baseUrl: 'http://127.0.0.1:9', apiKey: 'none', headers: {} },
      ]),
    ),
    registry: new Map(entries.map(({ name, model }) => [name, new Map([[model, registered(name, model)]])])),
  }
  const chain = entries.map(({ name, model }) => ({
    provider: name,
    model,
    timeoutMs: 60_000,
    retries: 2,
    maxOutputTokens: null,
  }))
  const deps: ChainDeps = {
    families: FAMILIES,
    catalog: { models: () => [], find: () => undefined, waiting: () => new Map(), lists: () => [] },
    circuits: createCircuits(Date.now, () => true),
    quirks: createQuirks(),
    pricePercents: { of: () => 100, learn: () => {} },
  }
  return { newCall: () => newSituation(request, chain, snapshot), deps }
}

function registered(provider: string, model: string): RegistryModel {
  const prices: PriceList = {
    ...NO_PRICES,
    input_per_mtok: '1',
    cached_input_per_mtok: '0.1',
    cache_write_5m_per_mtok: '1.25',
    cache_write_1h_per_mtok: '2',
    output_per_mtok: '5',
    tiers: [],
  }
  return {
    provider,
    model,
    aliases: [],
    traits: { contextWindow: 200_000, maxOutputTokens: 8_192, efforts: null, thinking: null },
    maxInputTokens: null,
    capabilities: [],
    deprecated: false,
    shutdownDate: null,
    mode: 'chat',
    note: null,
    price: compilePrice(prices),
    priceVersion: 1,
    prices,
  }
}
