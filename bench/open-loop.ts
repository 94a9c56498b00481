import { type Connection, type Outcome, openConnection, outcomeOf } from './connection.ts'
import type { Window } from './core-watch.ts'
import { type Percentiles, Samples } from './percentiles.ts'
import { createPreciseTimer, preciseNow } from './precise-timer.ts'

export interface Stage {
  /** Calls a second. */
  rate: number
  seconds: number
}

export interface OpenLoopOrder {
  url: string
  /** More of the same: connections go to all of them in turn. */
  others?: readonly string[]
  request: Buffer
  stages: readonly Stage[]
  /** No more connections than these; a call that finds none waits, and its wait counts. */
  connections: number
  /** All connections are there before the first call, as a load balancer keeps them; else one is opened when needed. */
  allOpen?: boolean
  /** A call that found no connection for so long is given up, as by a caller with a timeout; else it waits for ever. */
  giveUpMs?: number
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
  /** Given up before there was a connection for them. */
  unsent: number
  unanswered: number
  okMs: Percentiles
  /** Of each call, where there are few enough to be told: so that slices can be joined. */
  okEachMs: number[]
  /** When each of these was due. */
  okDueMs: number[]
  shedMs: Percentiles
  /** How late the load itself sent: figures are worth nothing where this is not small beside them. */
  lateMs: Percentiles
  mostConnections: number
  /** From its first call until the last is answered, or so. */
  window: Window
}

export interface OpenLoopResult {
  stages: StageResult[]
  /** By moment at which calls were due, in steps of `STEP_MS`. */
  steps: { due: number; ok: number; slowestOkMs: number }[]
}

export const STEP_MS = 100
const MOST_TOLD = 10_000
const GRACE_MS = 15_000
/** Most calls of a stage are answered so long after it. */
const ANSWER_MS = 60
/** The thread that keeps the time needs some itself to start. */
const START_MS = 200
/** Time for a thousand connections to be taken. */
const OPENING_MS = 2_000

/**
 * Calls at a constant rate, whatever becomes of them, as many users make them. Latency counts from the moment at which
 * the call was due: a gateway that stalls is not spared the calls that would have come meanwhile.
 */
export async function runOpenLoop(order: OpenLoopOrder): Promise<OpenLoopResult> {
  const stages = order.stages.map(({ rate }) => newTally(rate))
  const steps: OpenLoopResult['steps'] = []
  const traffic = startTraffic(order, (call, outcome) => {
    const stage = stages[call.stage]
    if (stage === undefined) return
    const latency = preciseNow() - call.due
    count(stage, outcome, call.due, latency)
    const step = stepAt(steps, call.step)
    if (outcome.kind !== 'ok') return
    step.ok += 1
    step.slowestOkMs = Math.max(step.slowestOkMs, latency)
  })
  const first = preciseNow() + START_MS + (order.allOpen === true ? OPENING_MS : 0)
  await keepTime(order.stages, first, (due, index) => {
    const stage = stages[index]
    if (stage === undefined) return
    stage.due += 1
    stage.late.add(preciseNow() - due)
    const step = Math.floor((due - first) / STEP_MS)
    stepAt(steps, step).due += 1
    traffic.call({ due, stage: index, step })
    stage.mostConnections = traffic.connections()
  })
  await traffic.finish(GRACE_MS)
  return {
    stages: stages.map((tally, index) => ({ ...stageResult(tally), window: windowOf(order.stages, index, first) })),
    steps,
  }
}

function stepAt(steps: OpenLoopResult['steps'], index: number): OpenLoopResult['steps'][number] {
  while (steps.length <= index) steps.push({ due: 0, ok: 0, slowestOkMs: 0 })
  return steps[index] ?? { due: 0, ok: 0, slowestOkMs: 0 }
}

interface Tally {
  rate: number
  due: number
  failed: number
  firstError: string | null
  unsent: number
  ok: Samples
  okDue: Samples
  shed: Samples
  late: Samples
  mostConnections: number
}

function newTally(rate: number): Tally {
  const none = { due: 0, failed: 0, firstError: null, unsent: 0, mostConnections: 0 }
  return { rate, ...none, ok: new Samples(), okDue: new Samples(), shed: new Samples(), late: new Samples() }
}

function count(stage: Tally, outcome: End, due: number, latency: number): void {
  if (outcome.kind === 'ok') {
    stage.ok.add(latency)
    stage.okDue.add(due)
  } else if (outcome.kind === 'shed') stage.shed.add(latency)
  else if (outcome.kind === 'unsent') stage.unsent += 1
  else {
    stage.failed += 1
    stage.firstError ??= outcome.why
  }
}

function windowOf(stages: readonly Stage[], index: number, firstMs: number): Window {
  const secondsBefore = stages.slice(0, index).reduce((sum, { seconds }) => sum + seconds, 0)
  const fromMs = firstMs + secondsBefore * 1000
  return { fromMs, toMs: fromMs + (stages[index]?.seconds ?? 0) * 1000 + ANSWER_MS }
}

function stageResult({ ok, okDue, shed, late, ...tally }: Tally): Omit<StageResult, 'window'> {
  return {
    ...tally,
    ok: ok.count,
    shed: shed.count,
    unanswered: tally.due - ok.count - shed.count - tally.failed - tally.unsent,
    okMs: ok.percentiles(),
    okEachMs: told(ok),
    okDueMs: told(okDue),
    shedMs: shed.percentiles(),
    lateMs: late.percentiles(),
  }
}

function told(samples: Samples): number[] {
  return samples.count > MOST_TOLD ? [] : [...samples.values()].map((value) => Number(value.toFixed(3)))
}

/** Calls back for every moment that is due, each exactly once, late ones at once. */
function keepTime(stages: readonly Stage[], first: number, onDue: (due: number, stage: number) => void): Promise<void> {
  const moments = momentsOf(stages, first)
  return new Promise((resolve) => {
    let next = moments.next()
    const timer = createPreciseTimer(() => {
      for (; !next.done && next.value.due <= preciseNow(); next = moments.next()) {
        onDue(next.value.due, next.value.stage)
      }
      if (next.done) resolve()
      else timer.wakeAt(next.value.due)
    })
    if (!next.done) timer.wakeAt(next.value.due)
  })
}

/** Not on the tick of a millisecond: what runs on such ticks elsewhere would always be met at the same phase. */
function* momentsOf(stages: readonly Stage[], first: number): Generator<{ due: number; stage: number }, void> {
  let begin = first
  for (const [stage, { rate, seconds }] of stages.entries()) {
    for (let index = 0; index < Math.round(rate * seconds); index++) {
      yield { due: begin + ((index + Math.random() * PHASE) * 1000) / rate, stage }
    }
    begin += seconds * 1000
  }
}

/** The share of the interval by which a call may come later than the strict beat. */
const PHASE = 0.5

interface Call {
  due: number
  stage: number
  step: number
}

type End = Outcome | { kind: 'unsent' }

function startTraffic(order: OpenLoopOrder, onEnd: (call: Call, end: End) => void) {
  const { url, others = [], request, connections: most, giveUpMs = Number.POSITIVE_INFINITY } = order
  const addresses = [url, ...others].map((address) => new URL(address))
  const idle: ((call: Call) => void)[] = []
  const queue: Call[] = []
  const open = new Set<Connection>()
  let opened = 0
  let inFlight = 0

  function nextInQueue(): Call | undefined {
    const oldest = preciseNow() - giveUpMs
    let next = queue.shift()
    for (; next !== undefined && next.due < oldest; next = queue.shift()) onEnd(next, { kind: 'unsent' })
    return next
  }

  function openOne(first: Call | null): void {
    let current: Call | null = null
    const begin = (call: Call) => {
      current = call
      inFlight += 1
      connection.send(request)
    }
    const end = (outcome: Outcome) => {
      if (current === null) return
      inFlight -= 1
      onEnd(current, outcome)
      current = null
    }
    const connection = openConnection(addresses[opened++ % addresses.length] ?? new URL(url), {
      onAnswer(status, excerpt) {
        end(outcomeOf(status, excerpt))
        const next = nextInQueue()
        if (next === undefined) idle.push(begin)
        else begin(next)
      },
      onBroken(why) {
        open.delete(connection)
        const place = idle.indexOf(begin)
        if (place >= 0) idle.splice(place, 1)
        end({ kind: 'failed', why })
        const next = nextInQueue()
        if (next !== undefined) openOne(next)
      },
    })
    open.add(connection)
    if (first === null) idle.push(begin)
    else begin(first)
  }

  if (order.allOpen === true) while (open.size < most) openOne(null)

  return {
    connections: () => open.size,
    call(call: Call) {
      const ready = idle.pop()
      if (ready !== undefined) ready(call)
      else if (open.size < most) openOne(call)
      else queue.push(call)
    },
    /** Waits for what is under way, but not for ever. */
    async finish(graceMs: number) {
      const until = preciseNow() + graceMs
      while ((inFlight > 0 || queue.length > 0) && preciseNow() < until) {
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      for (const connection of open) connection.close()
    },
  }
}
