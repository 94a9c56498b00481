import { setTimeout as sleep } from 'node:timers/promises'
import { type ConnectionOptions, createConnections, type Outcome } from './connections.ts'
import { type Percentiles, percentilesOf, sum } from './percentiles.ts'
import { createPreciseTimer, preciseNow } from './precise-timer.ts'
import { stampsIn, steadyNow } from './stamps.ts'

export interface Stage {
  /** Calls a second. */
  rate: number
  seconds: number
}

/** A call that finds no free connection waits, and its wait counts. */
export interface OpenLoopOptions extends ConnectionOptions {
  stages: readonly Stage[]
  /** Answers are streams: latency counts until their first content. */
  stream?: boolean
}

/** What became of the calls that were due within one stage. */
export interface StageResult {
  rate: number
  due: number
  ok: number
  /** Answered with 503 `overloaded`. */
  shed: number
  failed: number
  firstError: string | null
  unanswered: number
  okMs: Percentiles
  /** How late the load itself sent: latencies mean nothing where this is not small. */
  lateMs: Percentiles
  /** Latency and due time of each call; empty for a stage with too many. */
  okEachMs: number[]
  okDueMs: number[]
  /** Of streams. */
  events?: EventDelays
}

/** From the moment the upstream sent an event until it arrived. */
export interface EventDelays {
  count: number
  /** Arrived with a later one: something on the way may have waited for that. */
  joined: number
  delayMs: Percentiles
}

export interface OpenLoopResult {
  stages: StageResult[]
}

const MAXIMUM_LISTED = 10_000
const GRACE_MS = 15_000
/** The timer's thread takes a moment to start. */
const START_MS = 200

interface Call {
  due: number
  stage: number
  lateMs: number
  latencyMs: number
  /** Of the events of a stream. */
  delays: number[]
  joined: number
  end: Outcome | null
}

/**
 * Sends calls at a constant rate regardless of their outcome, as many users do. Latency counts from the moment the call
 * was due, so a gateway that stalls is charged for the calls that would have arrived in that time (no coordinated
 * omission).
 */
export async function runOpenLoop(options: OpenLoopOptions): Promise<OpenLoopResult> {
  const traffic = startTraffic(options)
  const first = preciseNow() + START_MS
  const calls: Call[] = []
  await eachDue(options.stages, first, (call) => {
    calls.push(call)
    call.lateMs = preciseNow() - call.due
    traffic.call(call)
  })
  await traffic.finish()
  const ofStage = options.stages.map(({ rate }, stage) =>
    resultOf(
      rate,
      calls.filter((call) => call.stage === stage),
    ),
  )
  return { stages: ofStage }
}

function resultOf(rate: number, calls: readonly Call[]): StageResult {
  const ended = (kind: Outcome['kind']) => calls.filter(({ end }) => end?.kind === kind)
  const [ok, failed] = [ended('ok'), ended('failed')]
  const latencies = (some: readonly Call[]) => some.map(({ latencyMs }) => latencyMs)
  const listed = ok.length > MAXIMUM_LISTED ? [] : ok
  const firstEnd = failed[0]?.end
  return {
    rate,
    due: calls.length,
    ok: ok.length,
    shed: ended('shed').length,
    failed: failed.length,
    firstError: firstEnd?.kind === 'failed' ? firstEnd.why : null,
    unanswered: calls.filter(({ end }) => end === null).length,
    okMs: percentilesOf(latencies(ok)),
    lateMs: percentilesOf(calls.map(({ lateMs }) => lateMs)),
    okEachMs: latencies(listed),
    okDueMs: listed.map(({ due }) => due),
    events: {
      count: sum(calls.map(({ delays }) => delays.length)),
      joined: sum(calls.map(({ joined }) => joined)),
      delayMs: percentilesOf(calls.flatMap(({ delays }) => delays)),
    },
  }
}

/** Calls back once for each due call; late ones immediately. */
function eachDue(stages: readonly Stage[], first: number, onDue: (call: Call) => void): Promise<void> {
  const calls = dueCalls(stages, first)
  return new Promise((resolve) => {
    let next = calls.next()
    const timer = createPreciseTimer(() => {
      for (; !next.done && next.value.due <= preciseNow(); next = calls.next()) onDue(next.value)
      if (next.done) resolve()
      else timer.wakeAt(next.value.due)
    })
    if (!next.done) timer.wakeAt(next.value.due)
  })
}

/** The share of the interval by which a call may come later than a strict beat. */
const JITTER = 0.5

/** Not on millisecond boundaries: what runs on such ticks elsewhere would always be hit at the same phase. */
function* dueCalls(stages: readonly Stage[], first: number): Generator<Call, void> {
  let begin = first
  for (const [stage, { rate, seconds }] of stages.entries()) {
    for (let index = 0; index < Math.round(rate * seconds); index++) {
      const due = begin + ((index + Math.random() * JITTER) * 1000) / rate
      yield { due, stage, lateMs: 0, latencyMs: 0, delays: [], joined: 0, end: null }
    }
    begin += seconds * 1000
  }
}

function startTraffic(options: OpenLoopOptions) {
  const connections = createConnections(options)
  const queue: Call[] = []

  function send(call: Call): boolean {
    const onEnd = (outcome: Outcome) => {
      if (call.delays.length === 0) call.latencyMs = preciseNow() - call.due
      call.end = outcome
      sendNext()
    }
    return connections.send(onEnd, options.stream === true ? (bytes) => note(call, bytes) : undefined)
  }

  function note(call: Call, bytes: Buffer): true {
    const now = steadyNow()
    const stamps = stampsIn(bytes)
    if (call.delays.length === 0 && stamps.length > 0) call.latencyMs = preciseNow() - call.due
    call.joined += Math.max(0, stamps.length - 1)
    for (const stamp of stamps) call.delays.push(now - stamp)
    return true
  }

  function sendNext(): void {
    const next = queue.shift()
    if (next !== undefined) send(next)
  }

  return {
    call(call: Call) {
      if (!send(call)) queue.push(call)
    },
    /** Waits for calls in flight, within a limit. */
    async finish() {
      const until = preciseNow() + GRACE_MS
      while ((connections.inFlight() > 0 || queue.length > 0) && preciseNow() < until) await sleep(20)
      connections.close()
    },
  }
}
