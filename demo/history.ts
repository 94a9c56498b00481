import { createRandom, type Random } from '../simulator/random.ts'
import { whyOf } from '../src/calls/why.ts'
import { ERRORS, GatewayError } from '../src/domain/errors.ts'
import { newId } from '../src/domain/new-id.ts'
import { costOf, type Price } from '../src/domain/pricing/price.ts'
import { type ChainEntry, type PrefixRule, type Resolved, resolveModel } from '../src/domain/route.ts'
import type { Snapshot } from '../src/domain/snapshot.ts'
import { type ChainHold, holdOfTerms } from '../src/limits/chain-hold.ts'
import { holdTerms } from '../src/limits/hold.ts'
import { BLANK_RECORD, type CloseRecord } from '../src/request-log/record.ts'
import { APPLICATIONS, type Application } from './applications.ts'
import { attributed } from './attribution.ts'
import { type ChainOutcome, chainOutcome, createWorld } from './chain-outcome.ts'
import { lognormal, weighted } from './draw.ts'
import { drawRefusal } from './refusals.ts'
import { type Arrival, arrivals } from './rhythm.ts'
import { streamed } from './streams.ts'
import { type Ask, drawAsk, usageOf } from './usage.ts'
import { slownessOf, weatherOf } from './weather.ts'

export const HISTORY_DAYS = 30
export const DAY_MS = 86_400_000
const SEED = 2_026
const LONGEST_PROMPT = 90_000

/** Direct ids by their prefix. */
const PREFIXES: readonly PrefixRule[] = [
  { prefix: 'gpt-', provider: 'openai' },
  { prefix: 'claude-', provider: 'anthropic' },
]

/** The inputs of the history. */
export interface Setting {
  now: number
  snapshot: Snapshot
  /** The key of an application at that time; null when it had none. */
  keyAt(application: Application, at: number, random: Random): string | null
  /** What was in force then. */
  priceAt(entry: ChainEntry, at: number): { version: number; price: Price } | null
}

/** `refusedHold`: a budget refused it. Its figures are not known before the past has ended. */
export type PastCall = CloseRecord & { refusedHold?: ChainHold }

type World = ReturnType<typeof createWorld>

/**
 * Thirty days of calls up to now, oldest first, each as the gateway would have logged it. Simulated but not arbitrary:
 * the same for every demo that starts at the same time, and consistent in every figure.
 */
export function* history(setting: Setting): Iterable<PastCall> {
  const { now, snapshot } = setting
  const random = createRandom(SEED)
  const windowOf = ({ provider, model }: ChainEntry) =>
    snapshot.registry.get(provider)?.get(model)?.traits.contextWindow ?? null
  const world = createWorld({ weather: weatherOf(now), slowness: slownessOf(now), random, windowOf })
  for (const arrival of arrivals(APPLICATIONS, { from: now - HISTORY_DAYS * DAY_MS, to: now }, random)) {
    const keyId = setting.keyAt(arrival.application, arrival.at, random)
    if (keyId === null) continue
    const record = pastCall(arrival, keyId, setting, world)
    if (record.finishedAt < now) yield record
  }
}

function pastCall({ at, application }: Arrival, keyId: string, setting: Setting, world: World): PastCall {
  const { random } = world
  const model = weighted(random, application.models)
  const refusal = drawRefusal(application, at, setting.now, random)
  const { endpoint } = application
  const spoken = endpoint === undefined ? {} : { endpoint, id: `msg_${newId(at)}` }
  const who = { keyId, workspace: application.workspace, ...attributed(application, at) }
  const base = { ...emptyRecord(at, random), ...spoken, ...who }
  if (refusal !== null && !refusal.isRead) return refused(base, refusal.error)
  const resolved = resolve(refusal?.model ?? model, application.workspace, setting.snapshot)
  const windows = (resolved?.chain ?? []).map((entry) => world.windowOf(entry) ?? LONGEST_PROMPT)
  const ask = drawAsk(application, Math.min(LONGEST_PROMPT, ...windows.map((window) => window * 0.7)), random)
  const requestBytes = Math.round(ask.promptTokens * 4.1) + 140
  const received = { ...base, requestBytes, requestedModel: refusal?.model ?? model, route: resolved?.alias ?? null }
  if (refusal?.error.code === 'budget_exceeded' && resolved !== null) {
    return { ...refused(received, refusal.error), refusedHold: holdOf(resolved, ask, null, at, setting) }
  }
  if (refusal !== null || resolved === null) {
    return refused(received, refusal?.error ?? new GatewayError('model_not_found'))
  }
  const patienceMs = random() < 0.004 ? lognormal(random, 2_500, 0.5) : Number.POSITIVE_INFINITY
  const call = { chain: resolved.chain, at, outputTokens: ask.answerTokens, patienceMs: Math.round(patienceMs) }
  const outcome = chainOutcome(call, world)
  const record = {
    ...received,
    ...holdAt(resolved, ask, at, setting, random),
    ...ending(outcome, ask, at, setting, random),
  }
  if (application.streams !== true) return record
  const price = outcome.served === null ? null : (setting.priceAt(outcome.served.entry, at)?.price ?? null)
  return streamed(record, price, random)
}

function resolve(model: string, workspace: string, { workspaces, providers }: Snapshot): Resolved | null {
  return resolveModel(model, workspaces.get(workspace)?.routes ?? new Map(), PREFIXES, providers)
}

type Base = Omit<CloseRecord, 'status'>

function emptyRecord(at: number, random: Random): Omit<Base, 'keyId' | 'workspace'> {
  const gatewayMicroseconds = Math.round(lognormal(random, 420, 0.45))
  const finishedAt = at + Math.ceil(gatewayMicroseconds / 1_000)
  return {
    ...BLANK_RECORD,
    endpoint: 'chat',
    id: `chatcmpl_${newId(at)}`,
    startedAt: at,
    finishedAt,
    gatewayMicroseconds,
  }
}

function refused(base: Base, error: GatewayError): CloseRecord {
  const { code, status, message } = error
  return { ...base, status, code, ...whyOf(error), responseBytes: 150 + message.length }
}

/** The maximum cost of the call at any entry of its chain. */
function holdOf({ chain }: Resolved, ask: Ask, outputTokens: number | null, at: number, setting: Setting): ChainHold {
  const known = { promptTokens: ask.promptTokens * 4, bounds: { outputTokens, answers: 1 } }
  return holdOfTerms(
    chain.map((entry, position) => {
      const traits = setting.snapshot.registry.get(entry.provider)?.get(entry.model)?.traits
      const [contextWindow, maxOutputTokens] = [traits?.contextWindow ?? null, traits?.maxOutputTokens ?? null]
      const price = setting.priceAt(entry, at)?.price
      return { entry, position, terms: holdTerms({ ...known, price, contextWindow, maxOutputTokens }) }
    }),
  )
}

function holdAt(resolved: Resolved, ask: Ask, at: number, setting: Setting, random: Random) {
  const outputTokens = random() < 0.7 ? 1_024 * Math.ceil((ask.answerTokens * 2) / 1_024) : null
  const { picodollars, tokens } = holdOf(resolved, ask, outputTokens, at, setting)
  return { holdPicodollars: picodollars?.toString() ?? null, holdTokens: tokens ?? 0 }
}

function ending(outcome: ChainOutcome, ask: Ask, at: number, setting: Setting, random: Random) {
  const { attempts, served, failed, elapsedMs } = outcome
  const last = attempts.findLast((attempt) => attempt.kind === 'called')
  const common = {
    attempts,
    finishedAt: at + elapsedMs + 1,
    provider: last?.provider ?? null,
    model: last?.model ?? null,
  }
  if (served === null) {
    if (failed === null || failed === 'caller-left') return { ...common, code: 'caller_left' as const, status: 499 }
    const { code, message, kept, param, providerCode, retryAfterMs: wait } = failed
    const retryAfterSeconds = wait === null ? undefined : Math.ceil(wait / 1_000)
    const why = whyOf(new GatewayError(code, { text: message, kept, param }, { providerCode, retryAfterSeconds }))
    return { ...common, code, ...why, status: ERRORS[code].status, responseBytes: 260 + attempts.length * 90 }
  }
  const { entry, position, durationMs } = served
  const isAnthropic = setting.snapshot.providers.get(entry.provider)?.family === 'anthropic'
  const usage = usageOf(ask, entry.model, isAnthropic)
  const priced = setting.priceAt(entry, at)
  const finishReason = weighted(random, FINISH_REASONS)
  return {
    ...common,
    status: 200,
    usageSource: 'provider',
    fallback: position > 0,
    usage,
    finishReason,
    costPicodollars: priced === null ? null : (costOf(usage, priced.price)?.toString() ?? null),
    priceVersion: priced?.version ?? null,
    upstreamMs: durationMs,
    responseBytes: 420 + Math.round(ask.answerTokens * 4.2),
    ignoredParams: isAnthropic && random() < 0.05 ? ['seed'] : [],
    adjustments: [],
  }
}

const FINISH_REASONS = [
  ['stop', 90],
  ['tool_calls', 7],
  ['length', 3],
] as const
