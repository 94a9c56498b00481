import type { JsonObject } from '../../../domain/request/call-request.ts'

/** Weakest first. */
const LEVELS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh']

/** The vendor's reasoning models by their series. */
const SERIES = /^(?:gpt-([5-9]|\d\d)(?:\.(\d))?|o\d)(?=$|[-:])/

/**
 * `reasoning_effort` of a request that came in another format, in which any model takes any effort. This family's models
 * refuse what they do not know, and the newer ones take tools only without reasoning: to serve the call in another way is
 * better than to refuse it. True: the caller does not get what was asked for.
 */
export function fitEffort(fields: JsonObject, model: string): boolean {
  const asked = fields['reasoning_effort'] ?? null
  const found = SERIES.exec(model)
  const version = found?.[1] === undefined ? 0 : Number(found[1]) + Number(found[2] ?? 0) / 10
  const hasTools = Array.isArray(fields['tools']) && fields['tools'].length > 0
  delete fields['reasoning_effort']
  if (hasTools && version >= 5.6) fields['reasoning_effort'] = 'none'
  else if (asked !== null && found !== null && !(hasTools && version >= 5.4)) {
    const level = nearest(asked, version)
    if (level !== null) fields['reasoning_effort'] = level
  }
  return asked !== null && asked !== (fields['reasoning_effort'] ?? null)
}

/** The strongest one that is not stronger, else the weakest. */
function nearest(asked: unknown, version: number): string | null {
  const rank = LEVELS.indexOf(String(asked))
  if (rank === -1) return null
  const offered = offeredBy(version)
  return offered.findLast((level) => LEVELS.indexOf(level) <= rank) ?? offered[0] ?? null
}

function offeredBy(version: number): string[] {
  if (version < 5) return ['low', 'medium', 'high']
  if (version < 5.1) return ['minimal', 'low', 'medium', 'high']
  return version < 5.2 ? ['none', 'low', 'medium', 'high'] : ['none', 'low', 'medium', 'high', 'xhigh']
}
