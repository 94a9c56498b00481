import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { GatewayError } from '../domain/errors.ts'
import { teamDescription, teamOf } from '../domain/litellm/facts.ts'
import type { Workspace } from '../management/contract/workspaces.ts'
import type { KeyRow } from '../store/engine/schema.ts'
import type { LitellmDeps } from './deps.ts'
import { wrongField } from './errors.ts'
import { fieldsIn, shaped, TeamFields } from './fields.ts'
import { workspaceOfTeam } from './find-team.ts'
import { money } from './json.ts'
import { limitsView, spendsOf } from './key-view.ts'
import type { Asked, Row } from './row.ts'
import { limitsAfter, nameOf } from './settings.ts'

type View = z.output<typeof Workspace>

/** A workspace as LiteLLM shows a team. */
export async function teamObject(view: View, deps: LitellmDeps) {
  const { alias, facts } = teamOf(view.description)
  const { name } = view
  const limits = deps.snapshot().workspaces.get(name)?.limits ?? null
  const [spend] = await spendsOf(
    [{ scope: { kind: 'workspace', id: name }, limits, opening: view.opening_spend }],
    deps,
  )
  const keys = await keysOf(name, deps)
  return {
    team_id: facts.team_id ?? name,
    team_alias: alias ?? name,
    spend: spend === undefined ? 0 : money(spend.spent),
    ...limitsView(view.limits, facts.budget_duration),
    budget_reset_at: spend?.resetsAt ?? null,
    models: [],
    blocked: keys.length > 0 && keys.every(({ paused_at }) => paused_at !== null),
    metadata: facts.metadata ?? {},
    tags: facts.tags ?? [],
    members_with_roles: [],
    members: [],
    admins: [],
    organization_id: null,
    created_at: view.created_at,
    updated_at: view.created_at,
    litellm_model_table: null,
  }
}

function keysOf(workspace: string, { db }: LitellmDeps): Promise<KeyRow[]> {
  return db
    .selectFrom('keys')
    .selectAll()
    .where('kind', '=', 'live')
    .where('workspace', '=', workspace)
    .where('revoked_at', 'is', null)
    .execute()
}

/** What a workspace cannot restrict. */
function checkTeam({ models, blocked }: TeamFields): void {
  const isAll = (models ?? []).every((name) => ['*', 'all-proxy-models'].includes(name))
  if (!isAll) throw wrongField('models', 'a team has the routes of its workspace. Give its keys their models instead.')
  if (blocked === true) throw wrongField('blocked', 'use POST /team/block, which blocks the keys that the team has.')
}

function described(fields: TeamFields, description: string | null): string | null {
  const present = teamOf(description)
  const facts = { ...present.facts }
  if (fields.metadata !== undefined) facts.metadata = fields.metadata ?? {}
  if (fields.tags !== undefined) facts.tags = fields.tags ?? []
  if (fields.budget_duration !== undefined) facts.budget_duration = fields.budget_duration ?? ''
  if (Object.keys(facts.metadata ?? {}).length === 0) delete facts.metadata
  if (facts.tags?.length === 0) delete facts.tags
  if (facts.budget_duration === '') delete facts.budget_duration
  return teamDescription(fields.team_alias === undefined ? present.alias : fields.team_alias, facts)
}

async function create({ body, perform }: Asked, deps: LitellmDeps) {
  const fields = fieldsIn(TeamFields, body)
  checkTeam(fields)
  const { workspaces } = deps.snapshot()
  const wanted = nameOf(fields.team_alias ?? '', randomUUID())
  const name =
    fields.team_id || (workspaces.has(wanted) ? `${wanted.slice(0, 55)}-${randomUUID().slice(0, 8)}` : wanted)
  if (workspaces.has(name)) throw new GatewayError('conflict', `Team id = ${name} already exists.`)
  const created = await perform('workspaces.create', {
    body: {
      name,
      description: described(fields, null),
      limits: limitsAfter(fields, null),
      streaming: true,
      // LiteLLM serves its model list and nothing else; so do teams, where the default workspace does.
      direct_models: workspaces.get('default')?.hasDirectModels === false ? false : null,
    },
  })
  return teamObject(created, deps)
}

/** The workspace of the team that the request names; 403 where the caller may not see it. */
async function teamNamed({ perform }: Asked, deps: LitellmDeps, teamId: unknown): Promise<View> {
  if (typeof teamId !== 'string' || teamId === '') throw wrongField('team_id', 'name the team.')
  return perform('workspaces.get', { params: { name: await workspaceOfTeam(teamId, deps) } })
}

async function update(asked: Asked, deps: LitellmDeps) {
  const fields = fieldsIn(TeamFields, asked.body)
  checkTeam(fields)
  const before = await teamNamed(asked, deps, fields.team_id)
  const after = await asked.perform('workspaces.update', {
    params: { name: before.name },
    body: { description: described(fields, before.description), limits: limitsAfter(fields, before.limits) },
  })
  const data = await teamObject(after, deps)
  return { team_id: data.team_id, data }
}

const Doomed = z.object({ team_ids: z.array(z.string()) })

/** With their keys, as LiteLLM does it. */
async function remove(asked: Asked, deps: LitellmDeps) {
  const { team_ids: ids } = shaped(Doomed, asked.body, 'body')
  const views: View[] = []
  for (const id of ids) views.push(await teamNamed(asked, deps, id))
  for (const { name } of views) {
    await asked.perform('workspaces.delete', { params: { name }, query: { force: 'true' } })
  }
  return { deleted_teams: ids }
}

/** A workspace cannot be paused, its keys can. */
async function block(asked: Asked, deps: LitellmDeps) {
  const team = await teamNamed(asked, deps, asked.body['team_id'])
  const keys = await keysOf(team.name, deps)
  const owned = keys.find(({ managed_by }) => managed_by === 'config')
  if (owned !== undefined)
    throw new GatewayError('managed_by_config', `switchyard.yaml manages the key '${owned.name}'.`)
  for (const { id } of keys) await asked.perform('keys.pause', { params: { id } })
  return { ...(await teamObject(team, deps)), blocked: true }
}

/** A gateway key reads its own team; whether another exists is not said to it. */
async function info(asked: Asked, deps: LitellmDeps) {
  const { caller, query } = asked
  const id = query['team_id']
  if (caller.own !== null) {
    const { workspace } = caller.own
    const asksFor = id === undefined ? workspace : await workspaceOfTeam(id, deps).catch(() => null)
    if (asksFor !== workspace) throw new GatewayError('forbidden', 'This key may not read another team.')
  }
  const view = await teamNamed(asked, deps, id ?? caller.own?.workspace)
  const team = await teamObject(view, deps)
  return { team_id: team.team_id, team_info: team, keys: [], team_memberships: [] }
}

async function teams({ perform, query }: Asked, deps: LitellmDeps) {
  const views: View[] = []
  let cursor: string | null = null
  do {
    const page: { data: View[]; next_cursor: string | null } = await perform('workspaces.list', {
      query: { limit: '500', ...(cursor === null ? {} : { cursor }) },
    })
    views.push(...page.data)
    cursor = page.next_cursor
  } while (cursor !== null)
  const all = await Promise.all(views.map((view) => teamObject(view, deps)))
  const { team_alias: alias, team_id: id } = query
  return all.filter((team) => (alias ?? team.team_alias) === team.team_alias && (id ?? team.team_id) === team.team_id)
}

async function teamsPage(asked: Asked, deps: LitellmDeps) {
  const all = await teams(asked, deps)
  return { teams: all, total: all.length, page: 1, page_size: all.length, total_pages: 1 }
}

export const TEAM_ROWS: readonly Row[] = [
  { method: 'POST', path: '/team/new', access: 'admin', operation: 'workspaces.create', handle: create },
  { method: 'POST', path: '/team/update', access: 'admin', operation: 'workspaces.update', handle: update },
  { method: 'POST', path: '/team/delete', access: 'admin', operation: 'workspaces.delete', handle: remove },
  { method: 'POST', path: '/team/block', access: 'admin', operation: 'keys.pause', handle: block },
  { method: 'GET', path: '/team/info', access: 'own', operation: 'workspaces.get', handle: info },
  { method: 'GET', path: '/team/list', access: 'admin', operation: 'workspaces.list', handle: teams },
  { method: 'GET', path: '/v2/team/list', access: 'admin', operation: 'workspaces.list', handle: teamsPage },
]
