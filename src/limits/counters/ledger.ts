import { GatewayError } from '../../domain/errors.ts'
import type { Picodollars } from '../../domain/pricing/price.ts'
import { worded } from '../../domain/wording/worded.ts'
import { type BudgetState, type Decision, type HeldCall, refusalOf, warningsOf, warns } from '../admission.ts'
import type { CallHold, CallUse, NodeLease, Scope, ScopeStatus } from '../ledger.ts'
import { bindingOf, type LimitsWhenDown, refusesUnchecked } from '../policy.ts'
import type { Payer, SpendLedger } from '../spend-ledger.ts'
import { allowanceOf } from './allowance.ts'
import { leaseOf, listOf, statusOf, verdictsOf } from './answers.ts'
import type { Connection } from './connection.ts'
import { budgetOf, type LeasedCall } from './leased-scope.ts'
import type { Leases } from './leases.ts'
import { nameOf, scopeOf } from './scope-name.ts'
import { LEASED } from './scripts/node.ts'
import { SCOPE_NAMES, STATUS } from './scripts/status.ts'
import type { Syncs } from './syncs.ts'

/** Events for the metrics. */
export interface CountersEvents {
  onUnchecked(): void
  onRefused(): void
  /** A call has waited for the counters. */
  onWaited(seconds: number): void
}

export interface CountersLedgerOptions {
  connection: Connection
  leases: Leases
  syncs: Pick<Syncs, 'ask' | 'changed' | 'flush' | 'heardAt' | 'isGivenUp'>
  policy: LimitsWhenDown
  events: CountersEvents
  isUsable(): boolean
  /** After this time without an answer others have taken over what this node could use of the minute. */
  silentMs: number
  /** The server's time as far as it is known, in Unix milliseconds. */
  now(): number
  /** Milliseconds, for tests; '' uses the server's clock. */
  clock(): string
}

const AWAY = 'The shared counters do not answer, so the limits of this call cannot be checked. Retry shortly.'
const STATUS_TOGETHER = 100

/**
 * The ledger of several gateways. Calls are admitted from what this node has leased; only one for which that does not
 * suffice waits for the counters, which decide as slots do in one process.
 */
export class CountersLedger implements SpendLedger {
  readonly isShared = true
  readonly #options: CountersLedgerOptions
  readonly #running = new WeakMap<HeldCall, LeasedCall>()

  constructor(options: CountersLedgerOptions) {
    this.#options = options
  }

  admit(payer: Payer, hold: CallHold, id: string): Decision | Promise<Decision> {
    const { leases, syncs, isUsable } = this.#options
    if (!isUsable()) this.#dropWhatOthersUse()
    const now = this.now()
    const warnings = this.#warnings(payer, hold, now)
    const call = leases.admit(payer, hold, now)
    if (call !== null) {
      syncs.changed()
      return this.#admitted(call, hold, id, warnings)
    }
    return syncs.isGivenUp() ? this.#withoutCounters(payer, hold, id) : this.#ask(payer, hold, id)
  }

  opened(held: HeldCall, position: number): void {
    held.position = position
    const call = this.#running.get(held)
    if (call !== undefined) this.#options.leases.opened(call, position)
  }

  async extend(held: HeldCall, more: Picodollars): Promise<boolean> {
    const { leases, syncs } = this.#options
    const call = this.#running.get(held)
    if (call === undefined || held.settled) return false
    if (leases.extend(call, more)) syncs.changed()
    else {
      if (syncs.isGivenUp()) return held.unchecked
      const { key, workspace } = call
      const asked = await syncs.ask({ key, workspace, money: more, tokens: 0, of: call, isAsked: false, isLeft: false })
      if (asked.kind !== 'admitted') return false
    }
    held.added += more
    return true
  }

  settle(held: HeldCall, use: CallUse, position = 0): boolean {
    return this.#end(held, (call) => this.#options.leases.settle(call, use, position))
  }

  release(held: HeldCall): boolean {
    return this.#end(held, (call) => this.#options.leases.release(call))
  }

  allowance(payer: Payer): ReturnType<SpendLedger['allowance']> {
    const now = this.now()
    const scopes = this.#options.leases.scopesOf(payer, now)
    return { requests: allowanceOf(scopes, 'requests', now), tokens: allowanceOf(scopes, 'tokens', now) }
  }

  /** What other nodes have spent in the last second may still be among what they hold. */
  async status(scopes: readonly Scope[]): Promise<ScopeStatus[]> {
    await this.#options.syncs.flush()
    return readStatus(this.#options.connection, scopes, this.#options.clock())
  }

  async scopes(): Promise<Scope[]> {
    await this.#options.syncs.flush()
    const { names } = await this.#options.connection.run(SCOPE_NAMES, {}).catch(away)
    return listOf(names).map((name) => scopeOf(String(name)))
  }

  async leases(): Promise<NodeLease[]> {
    const { nodes } = await this.#options.connection.run(LEASED, {}).catch(() => ({ nodes: [] }))
    return listOf(nodes).map(leaseOf)
  }

  now(): number {
    return this.#options.now()
  }

  async #ask(payer: Payer, hold: CallHold, id: string): Promise<Decision> {
    const { leases, syncs, events } = this.#options
    const began = performance.now()
    const scopes = leases.scopesOf(payer, this.now())
    const { picodollars: money, tokens } = hold
    const asked = await syncs.ask({ ...scopes, money, tokens, isAsked: false, isLeft: false })
    if (asked.kind === 'away') return this.#withoutCounters(payer, hold, id)
    events.onWaited((performance.now() - began) / 1000)
    const verdicts = verdictsOf(payer, asked.views)
    if (asked.kind === 'refused') return { kind: 'refused', refusal: refusalOf(verdicts, hold, asked.at) }
    return this.#admitted(asked.call, hold, id, warningsOf(verdicts, asked.at))
  }

  /** The counters are down, what is leased does not suffice, and the call does not wait. */
  #withoutCounters(payer: Payer, hold: CallHold, id: string): Decision {
    const { policy, events, leases } = this.#options
    if (refusesUnchecked(policy, bindingOf(payer))) {
      events.onRefused()
      return { kind: 'unavailable', reason: AWAY }
    }
    events.onUnchecked()
    return this.#admitted(leases.letThrough(payer, hold, this.now()), hold, id, [], true)
  }

  #dropWhatOthersUse(): void {
    const { syncs, silentMs, leases } = this.#options
    if (performance.now() - syncs.heardAt > silentMs) leases.dropRates()
  }

  /** Soft budgets are only warned about, by what this node knows. */
  #warnings(payer: Payer, hold: CallHold, now: number): BudgetState[] {
    const { key, workspace } = this.#options.leases.scopesOf(payer, now)
    const warnings: BudgetState[] = []
    for (const scope of [key, workspace]) {
      const { limits } = scope
      if (limits?.budget === undefined || (limits.budget.mode !== 'soft' && limits.budget.warn_at === undefined))
        continue
      const budget = budgetOf(scope, now)
      if (budget !== null && warns(budget, hold.picodollars, limits)) warnings.push(budget)
    }
    return warnings
  }

  #admitted(call: LeasedCall, hold: CallHold, id: string, warnings: BudgetState[], unchecked = false): Decision {
    const { admittedAt } = call
    const held: HeldCall = {
      id,
      admittedAt,
      hold,
      unchecked,
      position: null,
      settled: false,
      unconfirmed: 0n,
      added: 0n,
    }
    this.#running.set(held, call)
    return { kind: 'admitted', call: held, warnings }
  }

  #end(held: HeldCall, end: (call: LeasedCall) => void): boolean {
    if (held.settled) return false
    held.settled = true
    const call = this.#running.get(held)
    if (call === undefined) return false
    end(call)
    this.#options.syncs.changed()
    return true
  }
}

function away(cause: unknown): never {
  throw new GatewayError('limits_unavailable', worded`The shared counters do not answer. Retry shortly.`, { cause })
}

async function readStatus(connection: Connection, scopes: readonly Scope[], clock: string): Promise<ScopeStatus[]> {
  const found: ScopeStatus[] = []
  for (let start = 0; start < scopes.length; start += STATUS_TOGETHER) {
    const some = scopes.slice(start, start + STATUS_TOGETHER)
    const names = JSON.stringify(some.map(nameOf))
    const answer = await connection.run(STATUS, { clock, names }).catch(away)
    if (answer.has_ledger === 0)
      throw new GatewayError('limits_unavailable', worded`The shared counters are being rebuilt. Retry shortly.`)
    for (const [place, scope] of some.entries()) found.push(statusOf(scope, listOf(answer.scopes)[place] ?? []))
  }
  return found
}
