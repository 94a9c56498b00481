import type { IncomingHttpHeaders } from 'node:http'
import type { Answer, Behaviour, ScriptedAnswer } from './answer.ts'
import type { CauseContext, Family, Operation } from './family.ts'
import type { JsonObject } from './json.ts'
import type { Tweak } from './reply.ts'
import { type Outcome, scenarioOf } from './scenarios.ts'
import type { Stage } from './stage.ts'
import type { StreamFormat, StreamPlan, StreamScript } from './stream/script.ts'

export interface ModelCall {
  family: Family
  operation: Operation
  stage: Stage
  body: JsonObject
  headers: IncomingHttpHeaders
  context: CauseContext
}

/** A scripted answer comes first and exactly as scripted; then the vendor's validation; then the scenario in the model id. */
export function decide(call: ModelCall): Answer {
  const scripted = call.stage.nextScripted(call.context.model)
  if (scripted) return answerFromScript(call, scripted)
  return call.operation.validate(call.body, call.headers, call.stage.account) ?? answerFromScenario(call)
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
  const whole = operation.answer(body, tweak, stage)
  const { streaming } = operation
  if (script === false || body['stream'] !== true || !streaming)
    return { status: 200, headers: { 'content-type': 'application/json' }, body: whole }
  const headers = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' }
  return { status: 200, headers, body: '', stream: planStream(call, streaming, whole, script) }
}

function planStream(call: ModelCall, format: StreamFormat, whole: JsonObject, script: StreamScript): StreamPlan {
  const { family, context, body } = call
  const normal = format.eventsOf(whole, body)
  const odd = script.odd?.map((name) => format.oddities[name] ?? failUnknown(name)) ?? []
  return {
    events: odd.length === 0 ? normal : odd.reduce((events, change) => change(events, whole), [...normal]),
    script,
    ping: format.ping,
    errorEvent(status) {
      const { body: data } = family.failure(status, context)
      return format.errorName === null ? { data } : { event: format.errorName, data }
    },
  }
}

function knowsOddities({ operation }: ModelCall, script: StreamScript | false | undefined): boolean {
  if (!script) return true
  return (script.odd ?? []).every((name) => operation.streaming?.oddities[name] !== undefined)
}

function failUnknown(name: string): never {
  throw new Error(`the family has no oddity '${name}'`)
}
