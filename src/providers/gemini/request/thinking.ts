import { quoted, refuse } from '../../../domain/request/rejection.ts'
import { worded } from '../../../domain/wording/worded.ts'
import { LEVELS, type Level, thinkingOf } from '../models.ts'
import type { Draft } from './draft.ts'

/** Weakest first; the last two are stronger than any level. */
const EFFORTS = ['none', ...LEVELS, 'xhigh', 'max']

/** Tokens that a model with a budget may think for, as the vendor's own compatible endpoint sets them. */
const BUDGETS: Readonly<Record<Level, number>> = { minimal: 1024, low: 1024, medium: 8192, high: 24_576 }

export function readReasoningEffort(value: unknown, draft: Draft): void {
  const { target, config, ignored } = draft
  const rank = EFFORTS.indexOf(String(value))
  if (typeof value !== 'string' || rank === -1) {
    refuse(worded`reasoning_effort: ${quoted(value)} is not supported by this provider`)
  }
  const thinking = thinkingOf(target.model, target.traits)
  const setting = thinking.kind === 'level' ? byLevel(rank, thinking.levels) : byBudget(value, thinking)
  if (setting === null || !setting.isExact) ignored.add('reasoning_effort')
  if (setting !== null) config['thinkingConfig'] = setting.config
}

/** `isExact`: it is what was asked for. Null: this model has nothing to set. */
type Setting = { config: { thinkingLevel: string } | { thinkingBudget: number }; isExact: boolean } | null

/** The strongest one that is not stronger, else the weakest: thinking cannot be turned off. */
function byLevel(rank: number, levels: readonly Level[]): Setting {
  const level = levels.findLast((each) => EFFORTS.indexOf(each) <= rank) ?? levels[0]
  if (level === undefined) return null
  return { config: { thinkingLevel: level.toUpperCase() }, isExact: EFFORTS.indexOf(level) === rank }
}

function byBudget(effort: string, thinking: ReturnType<typeof thinkingOf>): Setting {
  if (thinking.kind !== 'budget') return null
  if (effort === 'none') return { config: { thinkingBudget: thinking.least }, isExact: thinking.least === 0 }
  const level = LEVELS.find((each) => each === effort)
  return { config: { thinkingBudget: BUDGETS[level ?? 'high'] }, isExact: level !== undefined }
}
