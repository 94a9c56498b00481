/**
 * Positions on the time axis of a request, in percent of the whole width. The figures beside it come from the log, not
 * from the picture.
 */
export interface WaterfallAttempt {
  kind: 'called' | 'skipped'
  provider: string
  model: string
  started_after_ms: number
  duration_ms: number
  status: number | null
  code: string | null
  upstream_request_id: string | null
  provider_code: string | null
  reason: string
}

export interface Span {
  startMs: number
  endMs: number
  /** Percent. */
  left: number
  width: number
}

/** How an attempt ended, by who would have to change something. */
export type Outcome = 'served' | 'refused' | 'failed' | 'left' | 'skipped'

export interface Lane {
  attempt: WaterfallAttempt
  /** Number among the attempts, from 1; skipped entries included. */
  number: number
  outcome: Outcome
  span: Span
  /** The pause before the same entry was asked again. */
  wait: Span | null
}

export interface Tick {
  atMs: number
  left: number
  label: string
}

export interface Waterfall {
  totalMs: number
  ticks: Tick[]
  lanes: Lane[]
  /** When neither a provider nor a pause was waited for: the gateway's own time. */
  gateway: Span[]
}

/** An axis has a length, also of a request that took none. */
const SHORTEST_MS = 0.01

/** `elapsedMs` is how long the request took, or has taken so far. */
export function waterfallOf(attempts: readonly WaterfallAttempt[], elapsedMs: number): Waterfall {
  // Rows of earlier versions took start and end from two clocks: their attempts may end later.
  const totalMs = Math.max(SHORTEST_MS, elapsedMs, ...attempts.map(endOf))
  const span = (startMs: number, endMs: number): Span => ({
    startMs,
    endMs,
    left: (startMs / totalMs) * 100,
    width: ((endMs - startMs) / totalMs) * 100,
  })
  const lanes = attempts.map((attempt, index): Lane => {
    const next = attempts[index + 1]
    const pause = next !== undefined && isAskedAgain(attempt, next) ? [endOf(attempt), next.started_after_ms] : null
    return {
      attempt,
      number: index + 1,
      outcome: outcomeOf(attempt),
      span: span(attempt.started_after_ms, endOf(attempt)),
      wait: pause !== null && (pause[1] ?? 0) > (pause[0] ?? 0) ? span(pause[0] ?? 0, pause[1] ?? 0) : null,
    }
  })
  const elsewhere = lanes.flatMap((lane) => (lane.wait === null ? [lane.span] : [lane.span, lane.wait]))
  const gateway = gapsBetween(elsewhere, totalMs).map(([from, to]) => span(from, to))
  return { totalMs, ticks: ticksOf(totalMs), lanes, gateway }
}

/** A moment on the axis; null: it never came. */
export function pointAt(atMs: number | null, totalMs: number): Span | null {
  return atMs === null ? null : { startMs: atMs, endMs: atMs, left: Math.min(100, (atMs / totalMs) * 100), width: 0 }
}

function endOf(attempt: WaterfallAttempt): number {
  return attempt.started_after_ms + attempt.duration_ms
}

function isAskedAgain(attempt: WaterfallAttempt, next: WaterfallAttempt): boolean {
  const isCalled = attempt.kind === 'called' && next.kind === 'called'
  return isCalled && attempt.provider === next.provider && attempt.model === next.model
}

export function outcomeOf({ kind, status, code }: WaterfallAttempt): Outcome {
  if (kind === 'skipped') return 'skipped'
  if (code === null) return 'served'
  if (code === 'caller_left') return 'left'
  // A 4xx is a word about the call, unless it is one about the gateway's account there.
  const isRefusal = status !== null && status >= 400 && status < 500 && !code.startsWith('provider_')
  return isRefusal ? 'refused' : 'failed'
}

/** What no span covers. Spans are rounded to milliseconds each, so neighbours may overlap by one. */
function gapsBetween(spans: readonly Span[], totalMs: number): [from: number, to: number][] {
  const gaps: [number, number][] = []
  let at = 0
  for (const { startMs, endMs } of spans.toSorted((a, b) => a.startMs - b.startMs)) {
    if (endMs === startMs) continue
    if (startMs > at) gaps.push([at, startMs])
    at = Math.max(at, endMs)
  }
  if (at < totalMs) gaps.push([at, totalMs])
  return gaps
}

/** At most this many steps, each a round figure. */
const MOST_STEPS = 5

export function ticksOf(totalMs: number): Tick[] {
  const step = roundStep(totalMs / MOST_STEPS)
  const steps = Math.floor(totalMs / step + 1e-9)
  return Array.from({ length: steps + 1 }, (_, index) => {
    const atMs = index * step
    return { atMs, left: (atMs / totalMs) * 100, label: tickLabel(atMs) }
  })
}

/** The smallest of 1, 2, 5, 10, 20, 50 … that is not below it. */
function roundStep(atLeast: number): number {
  const power = 10 ** Math.floor(Math.log10(atLeast))
  const factor = [1, 2, 5, 10].find((candidate) => candidate * power >= atLeast * (1 - 1e-9)) ?? 10
  return factor * power
}

function tickLabel(ms: number): string {
  if (ms === 0) return '0'
  return ms < 1000 ? `${Number(ms.toFixed(3))} ms` : `${Number((ms / 1000).toFixed(3))} s`
}
