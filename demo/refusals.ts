import type { Random } from '../simulator/random.ts'
import { GatewayError } from '../src/domain/errors.ts'
import { asPicodollars, picodollarsOfUsd } from '../src/domain/pricing/price.ts'
import { named, type Worded, worded } from '../src/domain/wording/worded.ts'
import type { ChainHold } from '../src/limits/chain-hold.ts'
import { limitError } from '../src/limits/errors.ts'
import type { Application } from './applications.ts'
import { weighted } from './draw.ts'

/** A call that the gateway itself refused. */
export interface Refusal {
  error: GatewayError
  /** False when its body was refused before a model could be read. */
  isRead: boolean
  /** The model it asked for instead of its own; null for its own. */
  model: string | null
}

type Choice = readonly [Refusal | null, number]

const unread = (error: GatewayError): Refusal => ({ error, isRead: false, model: null })
const read = (error: GatewayError, model: string | null = null): Refusal => ({ error, isRead: true, model })
const invalid = (message: Worded) => unread(new GatewayError('invalid_request', message))

const unknown = (model: string, workspace: string) =>
  read(
    new GatewayError(
      'model_not_found',
      worded`The model '${model}' is neither a route alias of workspace '${named(workspace)}' nor a direct model id.`,
    ),
    model,
  )

/** For every application, per ten thousand calls. */
const USUAL: readonly Choice[] = [
  [invalid(worded`messages[${2}].content: expected a string or an array of parts`), 15],
  [invalid(worded`temperature: expected a number from ${0} to ${2}`), 11],
  [invalid(worded`tools[${0}].function.name: expected a name of letters, digits, _ and -`), 8],
  [unread(new GatewayError('not_implemented')), 6],
]

/** What each application causes besides. */
const OWN: Readonly<Record<string, readonly Choice[]>> = {
  contractor: [[read(new GatewayError('forbidden', notAllowed('smart')), 'smart'), 180]],
  notebooks: [[unknown('judge-v2', 'research'), 60]],
}

function notAllowed(model: string): Worded {
  return worded`This key may not use the model '${model}'. GET /v1/models lists the models it may use.`
}

/** Requests per minute of the application that asks for more. */
const RPM = 300

function tooFast(key: string, random: Random): Refusal {
  const scope = { kind: 'key' as const, id: key }
  const refusal = {
    kind: 'rpm' as const,
    scope,
    limit: RPM,
    used: RPM,
    needed: 1,
    waitMs: Math.ceil(random() * 30_000),
  }
  return read(limitError(refusal, { picodollars: null, tokens: null, terms: [] }, { name: key, workspace: 'default' }))
}

/** Of a key that may spend so much in total. What is left and would do is held by calls that are running. */
export function overBudget(key: { id: string; name: string }, limitUsd: string, spent: bigint, hold: ChainHold) {
  const limit = picodollarsOfUsd(limitUsd)
  const [left, most] = [limit - spent, hold.picodollars ?? 0n]
  const held = left > most ? left - most / 2n : 0n
  const sums = { limit, spent: asPicodollars(spent), held: asPicodollars(held), per: 'total' as const, resetsAt: null }
  const budget = { usd: limitUsd, per: 'total' as const, mode: 'hard' as const }
  const refusal = { kind: 'budget' as const, scope: { kind: 'key' as const, id: key.id }, ...sums, budget }
  return limitError(refusal, hold, { name: key.name, workspace: 'default' })
}

const BUDGET_DAYS = 2
const DAY_MS = 86_400_000

/** Null: the call was accepted. */
export function drawRefusal({ key, workspace }: Application, at: number, now: number, random: Random): Refusal | null {
  const own: readonly Choice[] = key === 'data-pipeline' ? [[tooFast(key, random), 160]] : (OWN[key] ?? [])
  // Its budget is nearly used up: expensive calls are refused.
  const isShort = key === 'evals' && at > now - BUDGET_DAYS * DAY_MS
  const short: readonly Choice[] = isShort ? [[read(new GatewayError('budget_exceeded')), 900]] : []
  const choices: Choice[] = [...USUAL, [unknown('fsat', workspace), 10], ...own, ...short]
  const refused = choices.reduce((sum, [, weight]) => sum + weight, 0)
  return weighted(random, [...choices, [null, 10_000 - refused] as const])
}
