import type { IncomingHttpHeaders } from 'node:http'
import type { Answer, ScriptedAnswer } from './answer.ts'
import type { CauseContext, Family } from './family.ts'
import type { JsonObject } from './json.ts'
import { createRandom, hashText } from './random.ts'
import { planReply, type Tweak } from './reply.ts'
import { type Outcome, scenarioOf } from './scenarios.ts'
import type { Stage } from './stage.ts'

export interface ChatCall {
  family: Family
  stage: Stage
  body: JsonObject
  headers: IncomingHttpHeaders
  context: CauseContext
}

/** A scripted answer comes first and exactly as scripted; then the vendor's validation; then the scenario in the model id. */
export function decideChat(call: ChatCall): Answer {
  const scripted = call.stage.nextScripted(call.context.model)
  if (scripted) return answerFromScript(call, scripted)
  return call.family.validate(call.body, call.headers, call.stage.account) ?? answerFromScenario(call)
}

function answerFromScenario(call: ChatCall): Answer {
  const { family, stage, context } = call
  const act = scenarioOf(context.model)
  if (act === undefined) return normalAnswer(call)
  const outcome = act?.({
    lastUserText: family.readAsk(call.body).lastUserText,
    random: stage.randomFor(context.model),
    firstCall: stage.isFirstCall(context.model),
  })
  return outcome ? answerFromOutcome(call, outcome) : family.failure('unknown-scenario', context)
}

function answerFromOutcome(call: ChatCall, outcome: Outcome): Answer {
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

function answerFromScript(call: ChatCall, scripted: ScriptedAnswer): Answer {
  const status = scripted.status ?? 200
  const base = status >= 400 ? call.family.failure(status, call.context) : normalAnswer(call)
  return { ...base, ...scripted, status, headers: { ...base.headers, ...scripted.headers } }
}

function normalAnswer(call: ChatCall, tweak: Tweak = {}): Answer {
  const { family, stage, body } = call
  const ask = family.readAsk(body)
  const random = createRandom(hashText(`${stage.seed} ${ask.model} ${ask.lastUserText}`))
  return {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: family.writeReply(planReply(ask, tweak, random), body, stage.account),
  }
}
