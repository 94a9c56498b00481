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
  /** Opens all connections before the first call, as a load balancer does; otherwise on demand. */
  allOpen?: boolean
  /** A call that finds no connection for this long is given up, as by a client with a timeout. */
  giveUpMs?: number
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
  /** Given up before a connection was free. */
  unsent: number
  unanswered: number
  okMs: Percentiles
  shedMs: Percentiles
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

/** Calls by due time, in steps of `STEP_MS`. */
export interface Step {
  due: number
  ok: number
  slowestOkMs: number
}

export interface OpenLoopResult {
  stages: StageResult[]
  steps: Step[]
}

export const STEP_MS = 100
const MAXIMUM_LISTED = 10_000
const GRACE_MS = 15_000
/** The timer's thread takes a moment to start, thousands of connections take longer. */
const START_MS = 200
const OPENING_MS = 2_000

interface Call {
  due: number
  stage: number
  lateMs: number
  latencyMs: number
  /** Of the events of a stream. */
  delays: number[]
  joined: number
  end: Outcome | { kind: 'unsent' } | null
}

/**
 * Sends calls at a constant rate, whatever becomes of them, as many users do. Latency counts from the moment the call was
 * due, so a gateway that stalls is charged for the calls that would have arrived meanwhile (no coordinated omission).
 */
export async function runOpenLoop(options: OpenLoopOptions): Promise<OpenLoopResult> {
  const traffic = startTraffic(options)
  const first = preciseNow() + START_MS + (options.allOpen === true ? OPENING_MS : 0)
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
  return { stages: ofStage, steps: stepsOf(calls, first) }
}

function resultOf(rate: number, calls: readonly Call[]): StageResult {
  const ended = (kind: 'ok' | 'shed' | 'unsent' | 'failed') => calls.filter(({ end }) => end?.kind === kind)
  const [ok, shed, failed] = [ended('ok'), ended('shed'), ended('failed')]
  const latencies = (some: readonly Call[]) => some.map(({ latencyMs }) => latencyMs)
  const listed = ok.length > MAXIMUM_LISTED ? [] : ok
  const firstEnd = failed[0]?.end
  return {
    rate,
    due: calls.length,
    ok: ok.length,
    shed: shed.length,
    failed: failed.length,
    firstError: firstEnd?.kind === 'failed' ? firstEnd.why : null,
    unsent: ended('unsent').length,
    unanswered: calls.filter(({ end }) => end === null).length,
    okMs: percentilesOf(latencies(ok)),
    shedMs: percentilesOf(latencies(shed)),
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

function stepsOf(calls: readonly Call[], first: number): Step[] {
  const steps: Step[] = []
  for (const { due, end, latencyMs } of calls) {
    const index = Math.floor((due - first) / STEP_MS)
    while (steps.length <= index) steps.push({ due: 0, ok: 0, slowestOkMs: 0 })
    const step = steps[index] as Step
    step.due += 1
    if (end?.kind !== 'ok') continue
    step.ok += 1
    step.slowestOkMs = Math.max(step.slowestOkMs, latencyMs)
  }
  return steps
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
  const { giveUpMs = Number.POSITIVE_INFINITY } = options

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
    const oldest = preciseNow() - giveUpMs
    let next = queue.shift()
    for (; next !== undefined && next.due < oldest; next = queue.shift()) next.end = { kind: 'unsent' }
    if (next !== undefined) send(next)
  }

  if (options.allOpen === true) connections.fill()
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
