import type { Limits } from '../../../domain/limits.ts'
import { type Books, budgetOf } from './books.ts'
import { type MappedLimits, mapLimits } from './limits.ts'
import { freeName, slug } from './names.ts'
import { isEmpty, listIn, type Row, textIn } from './rows.ts'
import type { Tally } from './tally.ts'

export interface MovedWorkspace {
  name: string
  description: string
  limits: Limits | null
  /** USD. */
  opening: string | null
}

export interface MovedTeams {
  workspaces: MovedWorkspace[]
  /** The workspace of a team. */
  ofTeam: Map<string, string>
  /** The workspace of a user whose limits bind several keys. */
  ofUser: Map<string, string>
}

const TEAMS = 'LiteLLM_TeamTable'
/** Sessions of LiteLLM's own dashboard. */
export const DASHBOARD_TEAM = 'litellm-dashboard'

const MODELS_IN_KEYS = {
  path: 'models',
  status: 'approximate',
  direction: 'same',
  message: 'written into the keys of the team: keys that are created later need their own allowed_models',
} as const

/** `taken`: names of workspaces that must not be used. */
export function mapTeams(books: Books, tally: Tally, taken: Set<string>): MovedTeams {
  const moved: MovedTeams = { workspaces: [], ofTeam: new Map(), ofUser: new Map() }
  for (const [id, team] of books.teams) {
    if (id === DASHBOARD_TEAM) continue
    const alias = textIn(team, 'team_alias')
    const name = freeName(slug(alias) ?? `team-${slug(id) ?? ''}`, (slug(id) ?? 'team').slice(0, 8), taken)
    const mapped = limitsOfTeam(team, books, tally)
    moved.ofTeam.set(id, name)
    moved.workspaces.push(workspaceOf(name, `LiteLLM team ${alias ?? ''} (${id})`.replace('  ', ' '), mapped))
    tally.add(TEAMS, alias ?? id, {
      path: 'team_id',
      status: 'exact',
      direction: 'same',
      target: `workspace "${name}"`,
      message: 'teams become workspaces; streaming is on, because LiteLLM always streams',
    })
    for (const remark of mapped.remarks) tally.add(TEAMS, alias ?? id, remark)
    if (listIn(team, 'models').length > 0) tally.add(TEAMS, alias ?? id, MODELS_IN_KEYS)
  }
  for (const [id, user] of books.users) {
    const mapped = mapLimits(user, null, books.now)
    if (!isLimited(mapped) || (books.keysOf.get(`${id}/`) ?? 0) < 2) continue
    const name = freeName(slug(`user-${textIn(user, 'user_alias') ?? id}`) ?? 'user', 'user', taken)
    moved.ofUser.set(id, name)
    moved.workspaces.push(workspaceOf(name, `LiteLLM user ${textIn(user, 'user_alias') ?? ''} (${id})`, mapped))
    for (const remark of mapped.remarks) tally.add('LiteLLM_UserTable', id, remark)
  }
  return moved
}

function workspaceOf(name: string, description: string, { limits, opening }: MappedLimits): MovedWorkspace {
  return { name, description, limits: Object.keys(limits).length === 0 ? null : limits, opening }
}

export function isLimited({ limits, isClosed }: MappedLimits): boolean {
  return isClosed || Object.keys(limits).length > 0
}

/** A budget of the organisation binds its only team as it did; there is no level for one above several. */
function limitsOfTeam(team: Row, books: Books, tally: Tally): MappedLimits {
  const mapped = mapLimits(team, null, books.now)
  const id = textIn(team, 'organization_id')
  const organization = id === null ? undefined : books.organizations.get(id)
  const budget = organization === undefined ? null : budgetOf(organization, books)
  if (organization === undefined || budget === null || isEmpty(budget['max_budget'])) return mapped
  const siblings = [...books.teams.values()].filter((other) => textIn(other, 'organization_id') === id)
  if (siblings.length === 1 && mapped.limits.budget === undefined && !mapped.isClosed) {
    const ofOrganization = mapLimits({ spend: organization['spend'] }, budget, books.now)
    return { ...ofOrganization, limits: { ...ofOrganization.limits, ...mapped.limits } }
  }
  tally.add('LiteLLM_OrganizationTable', textIn(organization, 'organization_alias') ?? String(id), {
    path: 'budget_id',
    status: 'unsupported',
    direction: 'looser',
    message: 'the budget of the organization is not enforced: there is no level above a workspace',
  })
  return mapped
}

/** Whether LiteLLM refuses every call of the team. */
export function isTeamClosed(team: Row | undefined, now: number): boolean {
  if (team === undefined) return false
  return team['blocked'] === true || mapLimits(team, null, now).isClosed
}
