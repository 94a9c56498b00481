import { createHash } from 'node:crypto'
import { isJsonObject } from '../../domain/request/call-request.ts'
import type { MessagesRequest } from '../../domain/request/messages.ts'

const LONGEST = 64
const HASH_DIGITS = 12

/** Chat knows shorter names than this format. The same name is always shortened in the same way. */
export function chatName(name: string): string {
  if (isChatName(name)) return name
  const hash = createHash('sha256').update(name).digest('hex').slice(0, HASH_DIGITS)
  const readable = name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, LONGEST - HASH_DIGITS - 1)
  return `${readable}_${hash}`
}

function isChatName(name: string): boolean {
  return /^[a-zA-Z0-9_-]{1,64}$/.test(name)
}

/** The tools whose names must be found again in an answer. */
export function shortenedTools({ tools }: Pick<MessagesRequest, 'tools'>): { name: string }[] {
  if (!Array.isArray(tools)) return []
  return tools.flatMap((tool: unknown) => {
    const name = isJsonObject(tool) ? tool['name'] : undefined
    return typeof name === 'string' && !isChatName(name) ? [{ name }] : []
  })
}

/** From the names in an answer to the caller's. */
export function callersNames(request: Pick<MessagesRequest, 'tools'>): (name: string) => string {
  const names = new Map(shortenedTools(request).map(({ name }) => [chatName(name), name]))
  return (name) => names.get(name) ?? name
}
