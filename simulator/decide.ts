import type { IncomingHttpHeaders } from 'node:http'
import type { Answer, Behaviour, ScriptedAnswer } from './answer.ts'
import type { CauseContext, Family, Operation } from './family.ts'
import type { JsonObject } from './json.ts'
import type { Tweak } from './reply.ts'
import { type Outcome, scenarioOf } from './scenarios.ts'
import type { Stage } from './stage.ts'
import type { StreamEvent, StreamFormat, StreamPlan, StreamScript } from './stream/script.ts'

export interface ModelCall {
  family: Family
  operation: Operation
  stage: Stage
  body: JsonObject
  headers: IncomingHttpHeaders
  context: CauseContext
}

/**
 * A scripted answer comes first and exactly as scripted; then the vendor's validation; then the script of an agent's task;
 * then the scenario in the model id.
 */
export function decide(call: ModelCall): Answer {
  const scripted = call.stage.nextScripted(call.context.model)
  if (scripted) return answerFromScript(call, scripted)
  return (
    call.operation.validate(call.body, call.headers, call.stage.account) ??
    answerToAgent(call) ??
    answerFromScenario(call)
  )
}

/** Only to requests that offer the tools of the script: an agent also asks for a title or a summary of its work. */
function answerToAgent(call: ModelCall): Answer | null {
  const script = call.stage.agentScript(call.context.model)
  const ask = call.operation.ask?.(call.body)
  if (!script || !ask) return null
  const { turns } = script
  const offered = new Set(ask.tools.map(({ name }) => name))
  const used = turns.flatMap(({ calls = [] }) => calls.map(({ name }) => name))
  if (!used.every((name) => offered.has(name))) return null
  if (script.follows === 'results') return normalAnswer(call, turns[turnOf(turns, ask.toolResults)])
  const turn = Math.min(script.played, turns.length - 1)
  script.played += 1
  return normalAnswer(call, turns[turn])
}

/** The turn after so many results; the last one again and again. */
function turnOf(turns: readonly Tweak[], results: number): number {
  let asked = 0
  const next = turns.findIndex(({ calls = [] }) => {
    asked += calls.length
    return asked > results
  })
  return next < 0 ? turns.length - 1 : next
}

function answerFromScenario(call: ModelCall): Answer {
  const { family, operation, stage, context } = call
  const act = scenarioOf(context.model)
  if (act === undefined) return normalAnswer(call)
  const outcome = act?.({
    lastUserText: operation.lastUserText(call.body),
    random: stage.randomFor(context.model),
    firstCall: stage.isFirstCall(context.model),
  })
  return outcome ? answerFromOutcome(call, outcome) : family.failure('unknown-scenario', context)
}

function answerFromOutcome(call: ModelCall, outcome: Outcome): Answer {
  const { family, context } = call
  switch (outcome.kind) {
    case 'reply':
      if (!knowsOddities(call, outcome.stream)) return family.failure('unknown-scenario', context)
      return { ...normalAnswer(call, outcome.tweak, outcome.stream), delayMs: outcome.delayMs ?? 0 }
    case 'failure': {
      const answer = family.failure(outcome.cause, context)
      return { ...answer, headers: { ...answer.headers, ...outcome.headers } }
    }
    case 'broken':
      return brokenAnswer(call, outcome.behaviour)
    case 'body':
      return {
        status: outcome.status ?? 200,
        headers: { 'content-type': 'application/json', ...outcome.headers },
        body: outcome.body(JSON.stringify(normalAnswer(call, {}, false).body)),
      }
    case 'error-200':
      return { ...family.failure(500, context), status: 200 }
  }
}

function answerFromScript(call: ModelCall, scripted: ScriptedAnswer): Answer {
  const { tweak, stream, headers, status = 200, ...rest } = scripted
  const base = status >= 400 ? call.family.failure(status, call.context) : scriptedReply(call, scripted)
  return { ...base, ...rest, status, headers: { ...base.headers, ...headers } }
}

/** A body of the test's own is sent whole. */
function scriptedReply(call: ModelCall, { behaviour, body, tweak, stream }: ScriptedAnswer): Answer {
  const breaking = behaviour && BROKEN_STREAMS[behaviour]
  return normalAnswer(call, tweak, body === undefined ? (breaking ?? stream) : false)
}

/** What breaks the body of a whole answer, in a stream. */
const BROKEN_STREAMS: Partial<Record<Behaviour, StreamScript>> = {
  stall: { steps: [{ play: 'first' }, 'stall', { play: 'done' }] },
  cut: { steps: [{ play: 'first' }, 'cut'] },
}

function brokenAnswer(call: ModelCall, behaviour: Behaviour): Answer {
  return { ...normalAnswer(call, {}, BROKEN_STREAMS[behaviour]), behaviour }
}

function normalAnswer(call: ModelCall, tweak: Tweak = {}, script: StreamScript | false = {}): Answer {
  const { operation, stage, body } = call
  const whole = operation.answer(body, withCache(call, tweak), stage)
  const { streaming } = operation
  if (script === false || body['stream'] !== true || !streaming)
    return { status: 200, headers: { 'content-type': 'application/json' }, body: whole }
  const headers = {
    'content-type': streaming.contentType ?? 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
  }
  return { status: 200, headers, body: '', stream: planStream(call, streaming, whole, script) }
}

function withCache({ family, stage, body }: ModelCall, tweak: Tweak): Tweak {
  if (stage.prompts === null) return tweak
  return { ...stage.prompts.use(family.caches ?? 'prefix', body), isPartOfPrompt: true, ...tweak }
}

function planStream(call: ModelCall, format: StreamFormat, whole: JsonObject, script: StreamScript): StreamPlan {
  const { family, context, body } = call
  const normal = format.eventsOf(whole, body)
  const odd = script.odd?.map((name) => format.oddities[name] ?? failUnknown(name)) ?? []
  const events = odd.length === 0 ? normal : odd.reduce((all, change) => change(all, whole), [...normal])
  let next: StreamEvent | null = null
  return {
    // An error takes the place (and the number) of the event that was to come.
    events: watched(events, (event) => {
      next = event
    }),
    script: format.newline === undefined ? script : { newline: format.newline, ...script },
    ping: format.ping,
    ...(format.frame === undefined ? {} : { frame: format.frame }),
    errorEvent: (status) => format.errorEvent(family.failure(status, context).body, whole, next, status),
  }
}

function* watched(events: Iterable<StreamEvent>, watch: (event: StreamEvent) => void): Iterable<StreamEvent> {
  for (const event of events) {
    watch(event)
    yield event
  }
}

function knowsOddities({ operation }: ModelCall, script: StreamScript | false | undefined): boolean {
  if (!script) return true
  return (script.odd ?? []).every((name) => operation.streaming?.oddities[name] !== undefined)
}

function failUnknown(name: string): never {
  throw new Error(`the family has no oddity '${name}'`)
}
