import { createRandom, pick } from '../simulator/random.ts'
import type { Application } from './applications.ts'

/** User and session of a call, as its caller names them. */
export interface Attributed {
  user: string | null
  session: string | null
  tags: Record<string, string>
}

const MINUTE_MS = 60_000

/** By the time alone: past and present go on alike, and a session is one person's calls within a while. */
export function attributed({ key, users, sessionMinutes, tags = {} }: Application, at: number): Attributed {
  const random = createRandom(at)
  const user = users === undefined ? null : pick(random, users)
  const drawn = Object.entries(tags).map(([name, values]) => [name, pick(random, values)] as const)
  if (sessionMinutes === undefined) return { user, session: null, tags: Object.fromEntries(drawn) }
  const span = Math.floor(at / (sessionMinutes * MINUTE_MS)).toString(36)
  return { user, session: [key, user, span].filter((part) => part !== null).join('-'), tags: Object.fromEntries(drawn) }
}
