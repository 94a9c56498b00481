import { hash } from 'node:crypto'
import { RECENT_TOOL_CALLS } from './signals.ts'

/** A tool call of a model, as a conversation repeats it. */
export interface ToolUse {
  /** The model's id of it; null: the format allows none. */
  id: string | null
  name: string
  /** As they were sent: JSON as a text, a plain text, or an object. */
  args: unknown
}

/** All that is kept of a tool call: salted hashes. Two with the same `call` have the same tool and arguments. */
export interface ToolMark {
  id: string
  call: string
}

/** The last tool calls of a conversation, oldest first, and the first of all, by which a conversation is known again. */
export interface ToolMarks {
  recent: readonly ToolMark[]
  first: string | null
}

export const NO_MARKS: ToolMarks = { recent: [], first: null }

/** Characters of a hash: 96 bits. */
const LENGTH = 16

/** `uses`: all of the conversation, in its order. */
export function toolMarks(uses: readonly ToolUse[] | undefined, salt: string): ToolMarks {
  const [first] = uses ?? []
  if (uses === undefined || first === undefined) return NO_MARKS
  const start = Math.max(0, uses.length - RECENT_TOOL_CALLS)
  return {
    recent: uses.slice(start).map(({ id, name, args }, place) => ({
      id: short(salt, 'id', id ?? `${start + place}`),
      call: short(salt, name, textOf(args)),
    })),
    first: first.id === null ? null : short(salt, 'first', first.id),
  }
}

/** A length before each part: no two tools share a hash because their parts run together. */
function short(salt: string, ...parts: string[]): string {
  const text = parts.map((part) => `${part.length} ${part}`).join(' ')
  return hash('sha256', `${salt} ${text}`, 'base64url').slice(0, LENGTH)
}

function textOf(args: unknown): string {
  return typeof args === 'string' ? args : (JSON.stringify(args) ?? '')
}
