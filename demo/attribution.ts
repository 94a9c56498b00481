import { createRandom, pick } from '../simulator/random.ts'
import type { CallNames } from '../src/domain/attribution.ts'
import type { Application } from './applications.ts'

/** User and session of a call, as its caller names them. */
export interface Attributed extends CallNames {
  user: string | null
  tags: Record<string, string>
}

const MINUTE_MS = 60_000

/** By the time alone: past and present go on alike, and a session is one person's calls within a while. */
export function attributed({ key, users, sessionMinutes, agents, tags = {} }: Application, at: number): Attributed {
  const random = createRandom(at)
  const user = users === undefined ? null : pick(random, users)
  const drawn = Object.entries(tags).map(([name, values]) => [name, pick(random, values)] as const)
  const none = { agent: null, parent: null, kind: null, project: null }
  const who = { ...none, user, session: null, tags: Object.fromEntries(drawn) }
  if (sessionMinutes === undefined) return who
  const span = Math.floor(at / (sessionMinutes * MINUTE_MS)).toString(36)
  const session = [key, user, span].filter((part) => part !== null).join('-')
  // The main agent has half of the calls.
  if (agents === undefined || random() < 0.5) return { ...who, session, kind: 'main' }
  const [agent, parent = session] = pick(random, agents)
  return { ...who, session, agent, parent, kind: 'subagent' }
}
