import type { ModelTraits } from '../../domain/provider.ts'

/** How a model's thinking is set: by a level (from version 3 on), by a token budget (2.5), not at all. */
export type Thinking =
  | { kind: 'level'; levels: readonly Level[] }
  /** `least`: 0 where it can be turned off. */
  | { kind: 'budget'; least: number }
  | { kind: 'none' }

/** Weakest first. */
export const LEVELS = ['minimal', 'low', 'medium', 'high'] as const
export type Level = (typeof LEVELS)[number]

const NUMBERED = /^gemini-(\d+)(?:[.-](\d))?(?=$|-)/
const NONE: Thinking = { kind: 'none' }

/** The registry and the provider's own list first, then the name. */
export function thinkingOf(model: string, { thinking, efforts }: ModelTraits): Thinking {
  const version = versionOf(model)
  if (version === null || version < 2.5 || thinking?.length === 0) return NONE
  if (version < 3) return { kind: 'budget', least: model.includes('-pro') ? LEAST_BUDGET : 0 }
  const listed = LEVELS.filter((level) => efforts?.includes(level))
  return { kind: 'level', levels: listed.length > 0 ? listed : levelsOf(model, version) }
}

/** A model that cannot stop to think takes no less. */
const LEAST_BUDGET = 128

/** The vendor's published figures. */
function levelsOf(model: string, version: number): readonly Level[] {
  const isPro = model.includes('-pro')
  if (isPro && version < 3.1) return ['low', 'high']
  return isPro || version >= 3.7 ? ['low', 'medium', 'high'] : LEVELS
}

/** From version 3 on, a call in the history must carry the signature of the thoughts behind it. */
export function needsSignatures(model: string): boolean {
  const version = versionOf(model)
  return version !== null && version >= 3
}

/** Ids of calls came with version 3: older models refuse the field. */
export function takesCallIds(model: string): boolean {
  const version = versionOf(model)
  return version === null || version >= 3
}

/** Null: not one of the vendor's main line. An alias without a number is the newest of its line. */
function versionOf(model: string): number | null {
  const found = NUMBERED.exec(model)
  if (found !== null) return Number(`${found[1]}.${found[2] ?? 0}`)
  return model.startsWith('gemini-') ? Number.POSITIVE_INFINITY : null
}
