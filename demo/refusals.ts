import type { Random } from '../simulator/random.ts'
import type { ErrorCode } from '../src/domain/errors.ts'
import type { Application } from './applications.ts'
import { weighted } from './draw.ts'

/** A call that the gateway itself refused. */
export interface Refusal {
  code: ErrorCode
  /** False when its body was refused before a model could be read. */
  isRead: boolean
  /** The model it asked for instead of its own; null for its own. */
  model: string | null
}

type Choice = readonly [Refusal | null, number]

const unread = (code: ErrorCode): Refusal => ({ code, isRead: false, model: null })
const read = (code: ErrorCode, model: string | null = null): Refusal => ({ code, isRead: true, model })

/** For every application, per ten thousand calls. */
const USUAL: readonly Choice[] = [
  [unread('invalid_request'), 34],
  [unread('not_implemented'), 6],
  [read('model_not_found', 'fsat'), 10],
]

/** What each application causes besides. */
const OWN: Readonly<Record<string, readonly Choice[]>> = {
  'data-pipeline': [[read('key_rate_limited'), 160]],
  contractor: [[read('forbidden', 'smart'), 180]],
  notebooks: [[read('model_not_found', 'judge-v2'), 60]],
}

const BUDGET_DAYS = 2
const DAY_MS = 86_400_000

/** Null: the call was accepted. */
export function drawRefusal({ key }: Application, at: number, now: number, random: Random): Refusal | null {
  const own = OWN[key] ?? []
  // Its budget is nearly used up: expensive calls are refused.
  const isShort = key === 'evals' && at > now - BUDGET_DAYS * DAY_MS
  const choices: Choice[] = [...USUAL, ...own, ...(isShort ? [[read('budget_exceeded'), 900] as const] : [])]
  const refused = choices.reduce((sum, [, weight]) => sum + weight, 0)
  return weighted(random, [...choices, [null, 10_000 - refused] as const])
}
