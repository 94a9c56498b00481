import type { IncomingHttpHeaders } from 'node:http'
import type { Answer, ScriptedAnswer } from './answer.ts'
import type { CauseContext, Family, Operation } from './family.ts'
import type { JsonObject } from './json.ts'
import type { Tweak } from './reply.ts'
import { type Outcome, scenarioOf } from './scenarios.ts'
import type { Stage } from './stage.ts'

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
      return { ...normalAnswer(call, outcome.tweak), delayMs: outcome.delayMs ?? 0 }
    case 'failure': {
      const answer = family.failure(outcome.cause, context)
      return { ...answer, headers: { ...answer.headers, ...outcome.headers } }
    }
    case 'broken':
      return { ...normalAnswer(call), behaviour: outcome.behaviour }
    case 'body':
      return {
        status: outcome.status ?? 200,
        headers: { 'content-type': 'application/json', ...outcome.headers },
        body: outcome.body(JSON.stringify(normalAnswer(call).body)),
      }
    case 'error-200':
      return { ...family.failure(500, context), status: 200 }
  }
}

function answerFromScript(call: ModelCall, scripted: ScriptedAnswer): Answer {
  const status = scripted.status ?? 200
  const base = status >= 400 ? call.family.failure(status, call.context) : normalAnswer(call)
  return { ...base, ...scripted, status, headers: { ...base.headers, ...scripted.headers } }
}

function normalAnswer({ operation, stage, body }: ModelCall, tweak: Tweak = {}): Answer {
  return { status: 200, headers: { 'content-type': 'application/json' }, body: operation.answer(body, tweak, stage) }
}
