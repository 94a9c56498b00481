import { refuse } from '../../../domain/request/rejection.ts'
import { worded } from '../../../domain/wording/worded.ts'
import type { Target } from '../../family.ts'
import { EFFORTS, type ThinkingTraits, thinkingTraits } from '../models.ts'
import { quoted } from './content-parts.ts'

/** The fields that express `reasoning_effort` for a model. */
export interface Reasoning {
  thinking: string | null
  effort: string | null
  /** The caller did not get exactly what was requested. */
  isReported: boolean
}

const NOTHING_FITS: Reasoning = { thinking: null, effort: null, isReported: true }

export function reasoningFor(effort: unknown, target: Target): Reasoning {
  const traits = thinkingTraits(target.model, target.traits)
  if (effort === 'none') return leastThinking(traits)
  const wanted = effort === 'minimal' ? 'low' : effort
  const rank = typeof wanted === 'string' ? EFFORTS.indexOf(wanted) : -1
  if (rank === -1) return refuse(worded`reasoning_effort: ${quoted(effort)} is not supported by this provider`)
  if (!traits.thinking.includes('adaptive')) return NOTHING_FITS
  const offered = EFFORTS.filter((level) => traits.efforts.includes(level))
  const level = offered.findLast((candidate) => EFFORTS.indexOf(candidate) <= rank) ?? offered[0]
  if (level === undefined) return NOTHING_FITS
  return { thinking: 'adaptive', effort: level, isReported: level !== effort }
}

/** Some models only think less between tool calls, some cannot stop at all. */
function leastThinking(traits: ThinkingTraits): Reasoning {
  for (const kind of ['disabled', 'between_tools']) {
    if (traits.thinking.includes(kind)) return { thinking: kind, effort: null, isReported: false }
  }
  return traits.efforts.includes('low') ? { thinking: null, effort: 'low', isReported: true } : NOTHING_FITS
}
