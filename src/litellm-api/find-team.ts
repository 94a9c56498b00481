import { teamOf } from '../domain/litellm/facts.ts'
import type { LitellmDeps } from './deps.ts'
import { notFound } from './errors.ts'

/** The workspace of a team: by its name, or by the id that the team had at LiteLLM. No team: `default`. */
export async function workspaceOfTeam(
  teamId: string | null | undefined,
  { db }: Pick<LitellmDeps, 'db'>,
): Promise<string> {
  if (teamId === null || teamId === undefined || teamId === '') return 'default'
  const rows = await db.selectFrom('workspaces').select(['name', 'description']).execute()
  const found =
    rows.find(({ name }) => name === teamId) ??
    rows.find(({ description }) => teamOf(description).facts.team_id === teamId)
  if (found === undefined) throw notFound(`Team '${teamId}'`)
  return found.name
}
