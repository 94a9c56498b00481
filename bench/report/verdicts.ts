import type { Pace } from '../load/events.ts'
import { median } from '../load/percentiles.ts'
import { per, ratiosWithin } from '../parts/together.ts'
import type { BenchResult } from '../result.ts'
import { HOP, PIPE } from '../run/contestants.ts'
import { OURS } from '../run/gateway.ts'
import type { Family } from '../run/scene.ts'
import { megabytes } from './table.ts'

/** A target and this run's figure. */
export interface Verdict {
  what: string
  target: string
  figure: string
  /** Null: not measured. */
  holds: boolean | null
}

export function wordOf(holds: boolean | null): string {
  return holds === null ? '–' : holds ? 'holds' : 'MISSED'
}

const times = (reference: string) => (value: number) => `${value.toFixed(2)} × ${reference}`
const milliseconds = (value: number) => `${value.toFixed(2)} ms`

export function verdicts(result: BenchResult): Verdict[] {
  const { together, saturation, latency, memory, start } = result
  const isOurs = ({ name, family }: { name: string; family: Family }) => name === OURS && family === 'openai'
  const costs = (name: string, family: Family = 'openai') =>
    together.find((row) => row.name.startsWith(name) && row.family === family)?.eachRound ?? []
  const ratio = (cost: (number | null)[], reference: (number | null)[]) => median(ratiosWithin(cost, reference))
  const alone = (of: string) =>
    saturation.find(({ name, family }) => name === of && family === 'openai')?.cpuMicroseconds
  const ours = costs(OURS)
  const added = latency.find((row) => isOurs(row) && row.rate === 500)
  const kept = memory.find(isOurs)
  return [
    atMost('CPU a request alone on a core, OpenAI family', per(alone(OURS), alone(HOP)), 1.25, times('bare proxy')),
    atMost('CPU a request, OpenAI family', ratio(ours, costs('Portkey')), 0.2, times('Portkey')),
    atMost('CPU a request, OpenAI family', ratio(ours, costs(HOP)), 1.4, times('bare proxy')),
    atMost('CPU a request, Anthropic family', ratio(costs(OURS, 'anthropic'), ours), 1.25, times('OpenAI family')),
    atMost('added latency at 500/s, p50', added?.added.p50Ms, 0.55, milliseconds),
    atMost('added latency at 500/s, p99', added?.added.p99Ms, 2, milliseconds),
    atMost('added latency at 500/s, p50', added?.hopRatio.p50, 1.5, times('bare proxy')),
    atMost('added latency at 500/s, p99', added?.hopRatio.p99, 1.5, times('bare proxy')),
    atMost('memory (RSS), idle', kept?.rssIdleBytes, 110e6, megabytes),
    atMost('memory (RSS), 1,000 calls in flight', kept?.rssInFlightBytes, 230e6, megabytes),
    atMost('start to first answer, warm disk', start?.milliseconds, 1_500, (value) => `${value.toFixed(0)} ms`),
    ...streamVerdicts(result),
  ]
}

export function atMost(what: string, figure: number | null | undefined, most: number, text: (value: number) => string) {
  const target = `≤ ${text(most)}`
  return figure == null
    ? { what, target, figure: 'not measured', holds: null }
    : { what, target, figure: text(figure), holds: figure <= most }
}

function streamVerdicts({ streams, firstContent, streamMemory }: BenchResult): Verdict[] {
  const costs = (name: string, family: Family = 'openai', pace: Pace = 'paced') =>
    streams.find((row) => row.pace === pace && row.name.startsWith(name) && row.family === family)?.eachRound ?? []
  const against = (reference: string, family: Family) => median(ratiosWithin(costs(OURS, family), costs(reference)))
  const burst = (name: string) => costs(name, 'openai', 'all at once')
  const inBursts = median(ratiosWithin(burst(OURS), burst(PIPE)))
  const added = (family: Family) => firstContent.find((row) => row.name === OURS && row.family === family)
  const [first, , last] = streamMemory?.growth ?? []
  const grown = (what: 'heapBytes' | 'rssBytes') => per(last?.[what], first?.[what])
  const percent = (value: number) => `${(value * 100).toFixed(1)} %`
  const { events } = added('openai') ?? {}
  return [
    atMost('CPU a stream, OpenAI family', against(PIPE, 'openai'), 1.4, times('bare pipe')),
    atMost('CPU a stream in bursts, OpenAI family', inBursts, 1.6, times('bare pipe')),
    atMost('CPU a stream, Anthropic family', against(PIPE, 'anthropic'), 2.5, times('bare pipe')),
    atMost('CPU a stream, OpenAI family', against('Portkey', 'openai'), 0.25, times('Portkey')),
    atMost('time to first content at 300/s, added p50', added('openai')?.added.p50Ms, 0.5, milliseconds),
    atMost('time to first content at 300/s, added p99', added('openai')?.added.p99Ms, 3, milliseconds),
    atMost(
      'events that came with a later one',
      events === undefined ? null : events.joined / events.count,
      0.001,
      percent,
    ),
    atMost(
      'memory (RSS) of an open stream',
      streamMemory?.bytesEach,
      60e3,
      (value) => `${(value / 1e3).toFixed(0)} KB`,
    ),
    atMost('heap after all streams', grown('heapBytes'), 1.05, times('after a fifth')),
    atMost('memory (RSS) after all streams', grown('rssBytes'), 1.1, times('after a fifth')),
    atMost('upstream calls left running', streamMemory?.leftRunning, 0, String),
  ]
}
