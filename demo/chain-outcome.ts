import type { Random } from '../simulator/random.ts'
import { type Outgrown, skipReason } from '../src/calls/chain/chain-cursor.ts'
import { nextStep } from '../src/calls/chain/fallback.ts'
import { afterFailure, afterStart, afterSuccess, type Circuit, isSkipped, NEW_CIRCUIT } from '../src/domain/circuit.ts'
import type { Failure } from '../src/domain/failure.ts'
import { newId } from '../src/domain/new-id.ts'
import type { ChainEntry } from '../src/domain/route.ts'
import type { AttemptRecord } from '../src/request-log/record.ts'
import { answerMs } from './models.ts'
import type { Slowness, Weather } from './weather.ts'

export interface PastCall {
  chain: readonly ChainEntry[]
  /** Unix milliseconds of its start. */
  at: number
  outputTokens: number
  /** The caller leaves after this time. */
  patienceMs: number
}

/** The way of a past call along its chain. */
export interface ChainOutcome {
  attempts: AttemptRecord[]
  served: { entry: ChainEntry; position: number; durationMs: number } | null
  /** The failure of the last attempted entry when none served. */
  failed: Failure | 'caller-left' | null
  /** From the call's start to its end. */
  elapsedMs: number
}

interface World {
  weather: Weather
  slowness: Slowness
  random: Random
  windowOf(entry: ChainEntry): number | null
  circuits: Map<string, Circuit>
}

export function createWorld(parts: Omit<World, 'circuits'>): World {
  return { ...parts, circuits: new Map() }
}

/** Decides with the gateway's own functions; only the providers' answers are random. */
export function chainOutcome(call: PastCall, world: World): ChainOutcome {
  const outcome: ChainOutcome = { attempts: [], served: null, failed: null, elapsedMs: 0 }
  let outgrown: Outgrown = null
  for (const [position, entry] of call.chain.entries()) {
    const reason = skipReason(standings(call, outcome.elapsedMs, world), position, outgrown)
    if (reason !== null) {
      outcome.attempts.push({ ...called(entry, outcome.elapsedMs, 0), kind: 'skipped', reason })
      continue
    }
    const end = tryEntry(entry, position, call, outcome, world)
    if (end === 'over') break
    if (end === 'too-long') outgrown = { window: world.windowOf(entry) }
  }
  return outcome
}

function standings({ chain, at }: PastCall, elapsedMs: number, world: World) {
  return chain.map((entry) => {
    const circuit = world.circuits.get(nameOf(entry)) ?? NEW_CIRCUIT
    const isCircuitOpen = isSkipped(circuit, at + elapsedMs)
    return { unfit: null, isCircuitOpen, contextWindow: world.windowOf(entry) }
  })
}

/** Calls one entry, with retries where they may help. */
function tryEntry(
  entry: ChainEntry,
  position: number,
  call: PastCall,
  outcome: ChainOutcome,
  world: World,
): 'over' | 'next' | 'too-long' {
  const { random, weather } = world
  for (let retriesUsed = 0; ; retriesUsed++) {
    const began = outcome.elapsedMs
    const circuit = afterStart(world.circuits.get(nameOf(entry)) ?? NEW_CIRCUIT, call.at + began)
    const trouble = weather(entry, call.at + began, random)
    const usualMs = trouble?.durationMs ?? answerMs(entry.model, call.outputTokens, random)
    const durationMs = Math.round(usualMs * (trouble === null ? world.slowness(entry, call.at) : 1))
    if (began + durationMs > call.patienceMs) {
      const left = called(entry, began, call.patienceMs - began)
      outcome.attempts.push({ ...left, code: 'caller_left', reason: 'the caller left' })
      outcome.failed = 'caller-left'
      outcome.elapsedMs = call.patienceMs
      return 'over'
    }
    outcome.elapsedMs += durationMs
    const ended = { ...called(entry, began, durationMs), upstreamRequestId: `req_${newId(call.at)}` }
    if (trouble === null) {
      world.circuits.set(nameOf(entry), afterSuccess(circuit, call.at + outcome.elapsedMs))
      outcome.attempts.push({ ...ended, status: 200, reason: 'served' })
      outcome.served = { entry, position, durationMs }
      outcome.failed = null
      return 'over'
    }
    const { failure } = trouble
    const { code, status, providerCode } = failure
    world.circuits.set(nameOf(entry), afterFailure(circuit, failure, call.at + outcome.elapsedMs))
    const step = nextStep(failure, { retriesUsed, retriesAllowed: entry.retries, random: random() })
    const upstreamRequestId = status === null ? null : ended.upstreamRequestId
    outcome.attempts.push({
      ...ended,
      status,
      code,
      upstreamRequestId,
      ...(providerCode !== null && { providerCode }),
      reason: step.reason,
    })
    outcome.failed = failure
    if (step.kind === 'give-up') return 'over'
    if (step.kind === 'next-entry') return failure.next === 'larger-window' ? 'too-long' : 'next'
    outcome.elapsedMs += step.waitMs
  }
}

function nameOf({ provider, model }: ChainEntry): string {
  return `${provider} ${model}`
}

function called({ provider, model }: ChainEntry, startedAfterMs: number, durationMs: number): AttemptRecord {
  return {
    kind: 'called',
    provider,
    model,
    startedAfterMs,
    durationMs,
    status: null,
    code: null,
    upstreamRequestId: null,
    reason: '',
  }
}
