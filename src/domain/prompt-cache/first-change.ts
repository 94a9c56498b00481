import type { PromptSegments, Segment } from './segments.ts'

/** The first place from which a provider finds nothing of the prompt before. Places count from 1. */
export type PromptChange =
  | { part: 'tools'; place: number; of: number; name: string | null; how: 'added' | 'removed' | 'moved' | 'changed' }
  | { part: 'system'; place: number; of: number }
  | { part: 'params'; name: string }
  | { part: 'messages'; place: number; of: number }

/** In the order in which a prompt is read. Null: the prompt before is the beginning of this one. */
export function firstChange(before: PromptSegments, after: PromptSegments): PromptChange | null {
  return (
    changedTool(before.tools, after.tools) ??
    changedBlock(before.system, after.system) ??
    changedParam(before.params, after.params) ??
    changedMessage(before.messages, after.messages)
  )
}

function changedTool(before: readonly Segment[], after: readonly Segment[]): PromptChange | null {
  for (let at = 0; at < Math.max(before.length, after.length); at++) {
    const [old, now] = [before[at], after[at]]
    if (old?.sum === now?.sum && old?.name === now?.name) continue
    const place = at + 1
    if (now === undefined) return { part: 'tools', place, of: before.length, name: old?.name ?? null, how: 'removed' }
    if (old !== undefined && old.name === now.name) {
      return { part: 'tools', place, of: after.length, name: now.name, how: 'changed' }
    }
    if (old !== undefined && !has(after, old)) {
      return { part: 'tools', place, of: before.length, name: old.name, how: 'removed' }
    }
    return { part: 'tools', place, of: after.length, name: now.name, how: has(before, now) ? 'moved' : 'added' }
  }
  return null
}

function has(tools: readonly Segment[], { name }: Segment): boolean {
  return tools.some((tool) => tool.name === name)
}

function changedBlock(before: readonly number[], after: readonly number[]): PromptChange | null {
  const most = Math.max(before.length, after.length)
  for (let at = 0; at < most; at++) if (before[at] !== after[at]) return { part: 'system', place: at + 1, of: most }
  return null
}

function changedParam(before: readonly Segment[], after: readonly Segment[]): PromptChange | null {
  const known = new Map(before.map(({ name, sum }) => [name, sum]))
  for (const { name, sum } of after) {
    if (known.get(name) !== sum) return { part: 'params', name: name ?? '' }
    known.delete(name)
  }
  for (const [name] of known) return { part: 'params', name: name ?? '' }
  return null
}

function changedMessage(before: readonly number[], after: readonly number[]): PromptChange | null {
  const at = before.findIndex((sum, place) => sum !== after[place])
  return at < 0 ? null : { part: 'messages', place: at + 1, of: before.length }
}
