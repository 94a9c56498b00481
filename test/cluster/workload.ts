import { FORMATS, type Format } from '../crash/formats.ts'
import { picodollars, priceText } from '../crash/prices.ts'

/**
 * `free` has no limits, `tight` a hard budget that runs out during the run, `rich` one that does not, and `rated` so many
 * requests a minute that about half of its calls are refused.
 */
export const KEYS = ['free', 'tight', 'rich', 'rated'] as const
export type ChaosKey = (typeof KEYS)[number]

/** Clients of each key. */
export const CLIENTS = 3

/** A call of the workload costs about 0.00013 USD, and holds five times that while it runs. */
const USUAL_COST_USD = 0.00013
/** Most calls are quick; some streams last for seconds. */
const USUAL_CALL_MS = 700
/** Of what its calls would cost. Those that are cut off cost five times as much, so it runs out well before the end. */
const TIGHT_SHARE = 0.3
export const RICH_USD = '1000'

export function keyValue(key: ChaosKey): string {
  return `gw_live_${key.padEnd(32, '0')}`
}

export interface Workload {
  /** Text of switchyard.yaml. */
  config: string
  aliases: string[]
  /** Picodollars. */
  limits: ReadonlyMap<ChaosKey, bigint>
}

/** How long a provider takes; the fast ones are many, the slow ones are there to be cut off. */
const CHAINS = [
  ['openai, model: gpt-chaos-sim-slow-15'],
  ['anthropic, model: claude-chaos-sim-events-20-15'],
  ['anthropic, model: claude-chaos-sim-slow-60'],
  ['openai, model: gpt-chaos-sim-events-50-40'],
  ['openai, model: gpt-chaos-sim-503', 'anthropic, model: claude-chaos-sim-events-30-10'],
  ['openai, model: gpt-chaos-sim-slow-250'],
  ['openai, model: gpt-chaos-sim-events-3-0'],
  ['openai, model: gpt-chaos-sim-503', 'anthropic, model: claude-chaos-sim-slow-30'],
  ['anthropic, model: claude-chaos-sim-events-60-50'],
  ['anthropic, model: claude-chaos-sim-slow-900'],
  ['openai, model: gpt-chaos-sim-slow-250, hedge_after_ms: 20', 'anthropic, model: claude-chaos-sim-events-20-15'],
]
/** More upstream calls than this no call can cause. */
export const MOST_UPSTREAM_CALLS = 2

interface WorkloadOptions {
  durationMs: number
  pauseMs: number
  /** The load may go on for so long. */
  longestMs?: number
}

/** Every alias serves one call of each key: a route's name is all that the row of an unanswered call has. */
export function planWorkload({ durationMs, pauseMs, longestMs = durationMs }: WorkloadOptions): Workload {
  const callsOfKey = Math.ceil((longestMs / pauseMs) * CLIENTS)
  const aliases = Array.from({ length: callsOfKey + 50 }, (_, number) => aliasOf(number))
  const perMinute = (60_000 / (pauseMs + USUAL_CALL_MS)) * CLIENTS
  const usualUsd = (durationMs / 60_000) * perMinute * USUAL_COST_USD
  const tightUsd = Math.max(0.003, usualUsd * TIGHT_SHARE).toFixed(6)
  const rpm = Math.max(1, Math.round(perMinute / 2))
  const limits = {
    free: '{}',
    tight: `{ budget: { usd: "${tightUsd}", per: total } }`,
    rich: `{ budget: { usd: "${RICH_USD}", per: month } }`,
    rated: `{ rpm: ${rpm} }`,
  }
  const keys = KEYS.map((key) => `      ${key}: { value: ${keyValue(key)}, limits: ${limits[key]} }\n`)
  const routes = aliases.map((alias, number) => routeText(alias, chainOf(number)))
  return {
    config: `workspaces:
  default:
    keys:
${keys.join('')}    routes:
${routes.join('')}registry:
${[...new Set(CHAINS.flat().map(withoutHedge))].map(priceText).join('')}`,
    aliases,
    limits: new Map([
      ['tight', picodollars(tightUsd)],
      ['rich', picodollars(RICH_USD)],
    ]),
  }
}

function chainOf(number: number): readonly string[] {
  return CHAINS[number % CHAINS.length] ?? []
}

/** The registry knows nothing of it. */
function withoutHedge(entry: string): string {
  return entry.replace(/, hedge_after_ms: \d+/, '')
}

const STREAM = 's'

/** Streamed are the calls whose provider sends event by event. */
function aliasOf(number: number): string {
  const letter = chainOf(number).some((entry) => entry.includes('-sim-events-')) ? STREAM : 'c'
  return letter + String(number).padStart(6, '0')
}

/** Every kind of chain meets every format. */
export function formatOf(alias: string): Format {
  return FORMATS[Number(alias.slice(STREAM.length)) % FORMATS.length] ?? 'chat'
}

export function isStreamed(alias: string): boolean {
  return alias.startsWith(STREAM)
}

function routeText(alias: string, chain: readonly string[]): string {
  const entries = chain.map((entry) => `{ provider: ${entry}, retries: 0 }`)
  return `      ${alias}: { chain: [${entries.join(', ')}] }\n`
}
