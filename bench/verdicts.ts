import { HOP, OURS } from './contestants.ts'
import { median } from './median.ts'
import type { OverloadResult } from './overload.ts'
import type { BenchResult } from './result.ts'
import type { Family } from './scene.ts'
import { ratiosWithin } from './together.ts'

/** A target, the figure of this run, and whether it holds. */
export interface Verdict {
  what: string
  target: string
  figure: string
  /** Null: this run did not measure it. */
  holds: boolean | null
}

export function verdicts(result: BenchResult): Verdict[] {
  return [...cpuVerdicts(result), ...latencyVerdicts(result), ...bodyVerdicts(result), ...otherVerdicts(result)]
}

function atMost(
  what: string,
  figure: number | null | undefined,
  most: number,
  text: (value: number) => string,
): Verdict {
  const known = figure ?? null
  return {
    what,
    target: `≤ ${text(most)}`,
    figure: known === null ? 'not measured' : text(known),
    holds: known === null ? null : known <= most,
  }
}

const times = (reference: string) => (value: number) => `${value.toFixed(2)} × ${reference}`
const milliseconds = (value: number) => `${value.toFixed(2)} ms`
const megabytes = (value: number) => `${(value / 1e6).toFixed(0)} MB`

function cpuVerdicts({ together }: BenchResult): Verdict[] {
  const costs = (name: string, family: Family) =>
    together.find((row) => row.name.startsWith(name) && row.family === family)?.eachRound ?? []
  const ours = costs(OURS, 'openai')
  const against = (reference: string) => median(ratiosWithin(ours, costs(reference, 'openai')))
  const family = median(ratiosWithin(costs(OURS, 'anthropic'), ours))
  return [
    atMost('CPU a request, OpenAI family', against('Portkey'), 0.2, times('Portkey')),
    atMost('CPU a request, OpenAI family', against(HOP), 1.4, times('bare proxy')),
    atMost('CPU a request, Anthropic family', family, 1.25, times('OpenAI family')),
  ]
}

function latencyVerdicts({ latency, latencyTogether }: BenchResult): Verdict[] {
  const ours = latency.find((row) => row.name === OURS && row.family === 'openai' && row.rate === 500)?.added
  const against = latencyTogether.find((row) => row.name === OURS && row.rate === 500)?.hopRatio
  const what = (percentile: string) => `added latency at 500/s, ${percentile}`
  return [
    atMost(what('p50'), ours?.p50Ms, 0.6, milliseconds),
    atMost(what('p99'), ours?.p99Ms, 2, milliseconds),
    atMost(what('p50'), against?.p50, 1.5, times('bare proxy')),
    atMost(what('p99'), against?.p99, 1.5, times('bare proxy')),
  ]
}

function bodyVerdicts({ bodies }: BenchResult): Verdict[] {
  const row = bodies.find(({ name, family, body }) => name === OURS && family === 'openai' && body === '1m')
  return [atMost('CPU of a 1 MB body, OpenAI family', row?.copyRatio, 2, times('copying it'))]
}

function otherVerdicts({ memory, eventLoop, start, overload }: BenchResult): Verdict[] {
  const ours = memory.find(({ name }) => name === OURS)
  const own = eventLoop.filter(({ what }) => what !== HOP)
  const longest = own.length === 0 ? null : Math.max(...own.map((row) => row.longest.ms))
  return [
    atMost('memory (RSS), idle', ours?.rssIdleBytes, 120e6, megabytes),
    atMost('memory (RSS), 1,000 calls in flight', ours?.rssInFlightBytes, 250e6, megabytes),
    atMost('start to first answer, warm disk', start?.milliseconds, 1_500, (value) => `${value.toFixed(0)} ms`),
    atMost('longest hold of the event loop at 1,000/s', longest, 10, milliseconds),
    ...(overload === null ? [] : [overloadVerdict(overload)]),
  ]
}

/** What is bounded is slower than a second for one call in a hundred at most, and at once is within a second. */
const BOUND_MS = 1_000

function overloadVerdict({ during, recoveryMs, missingFromLog }: OverloadResult): Verdict {
  const failed = during.failed + during.unsent + during.unanswered
  const recovered = recoveryMs === null ? 'did not recover' : `recovered after ${recoveryMs} ms`
  const p99 = during.okMs.p99
  return {
    what: 'twice the saturation rate',
    target: 'sheds, p99 ≤ 1 s, recovers in 1 s, loses nothing',
    figure: `${during.shed} shed, p99 ${p99.toFixed(0)} ms, ${failed} failed, ${recovered}, ${missingFromLog} missing from the log`,
    holds:
      during.shed > 0 &&
      failed === 0 &&
      missingFromLog === 0 &&
      p99 <= BOUND_MS &&
      recoveryMs !== null &&
      recoveryMs <= BOUND_MS,
  }
}
