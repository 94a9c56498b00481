import { hash } from 'node:crypto'
import type { JsonObject } from '../request/call-request.ts'

/** What LiteLLM's tools wrote about a key and read back; the gateway itself makes no use of it. */
export interface LitellmKeyFacts {
  user_id?: string
  /** As written; the key's name has fewer characters. */
  key_alias?: string
  metadata?: JsonObject
  tags?: string[]
  /** Where they contain one of LiteLLM's own names, such as `all-team-models`. */
  models?: string[]
  budget_duration?: string
  soft_budget?: string
  /** A key of the workspace `default` that was made for a team of that name. */
  has_team?: true
}

/** They are the note of the key; the import writes the same. */
export function litellmFacts(note: JsonObject | null): LitellmKeyFacts {
  return note ?? {}
}

/** The same for a team, which is a workspace. */
export interface LitellmTeamFacts {
  /** Where it is not the name of the workspace. */
  team_id?: string
  metadata?: JsonObject
  tags?: string[]
  budget_duration?: string
}

const FACTS_LINE = /(?:^|\n)litellm: (\{.*\})$/

/** The description of a workspace: the alias of the team and, if there are any, the facts in a line of their own. */
export function teamDescription(alias: string | null, facts: LitellmTeamFacts): string | null {
  const line = Object.keys(facts).length === 0 ? [] : [`litellm: ${JSON.stringify(facts)}`]
  const text = [...(alias === null ? [] : [alias]), ...line].join('\n')
  return text === '' ? null : text
}

/** As the import describes a team. */
const MOVED = /^LiteLLM team (?:(.*) )?\(([^()]+)\)$/

export function teamOf(description: string | null): { alias: string | null; facts: LitellmTeamFacts } {
  const text = description ?? ''
  const [, movedAlias, movedId] = MOVED.exec(text) ?? []
  if (movedId !== undefined) return { alias: movedAlias ?? null, facts: { team_id: movedId } }
  const line = FACTS_LINE.exec(text)
  const alias = line === null ? text : text.slice(0, line.index)
  return { alias: alias === '' ? null : alias, facts: line === null ? {} : factsIn(line[1] ?? '') }
}

/** People edit descriptions. */
function factsIn(text: string): LitellmTeamFacts {
  try {
    return JSON.parse(text) as LitellmTeamFacts
  } catch {
    return {}
  }
}

/** The id of a deployment: an entry of a route. */
export function deploymentId(alias: string, { provider, model }: { provider: string; model: string }): string {
  return hash('sha256', JSON.stringify([alias, provider, model]), 'hex').slice(0, 32)
}
