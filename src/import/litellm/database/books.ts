import type { MappedConfig } from '../mapped-config.ts'
import { type Allowed, allowedBy, type ModelNames } from './allowed-models.ts'
import type { LitellmDatabase } from './database.ts'
import { listIn, type Row, textIn } from './rows.ts'

/** The tables that keys refer to, by their ids. They are small beside the keys. */
export interface Books {
  now: number
  names: ModelNames
  budgets: ReadonlyMap<string, Row>
  teams: ReadonlyMap<string, Row>
  users: ReadonlyMap<string, Row>
  organizations: ReadonlyMap<string, Row>
  projects: ReadonlyMap<string, Row>
  /** By `user/team`. */
  memberships: ReadonlyMap<string, Row>
  /** How many keys a user has in a team, by `user/team`; `user/` for keys without a team. */
  keysOf: ReadonlyMap<string, number>
  /** Values that were replaced and still work, by the hash of the current one. */
  replaced: ReadonlyMap<string, readonly Row[]>
  /** The aliases of a team, by the id of their row. */
  aliases: ReadonlyMap<string, Row>
  /** The id of an access group → its models. */
  groups: ReadonlyMap<string, readonly string[]>
}

export function holderOf(user: string | null, team: string | null): string {
  return `${user ?? ''}/${team ?? ''}`
}

export async function readBooks(database: LitellmDatabase, mapped: MappedConfig, now: number): Promise<Books> {
  const by = async (table: string, column: string) =>
    new Map((await database.table(table)).map((row) => [String(row[column]), row]))
  const groups = new Map<string, readonly string[]>()
  const names = new Map<string, string[]>()
  for (const row of await database.table('LiteLLM_AccessGroupTable')) {
    groups.set(String(row['access_group_id']), listIn(row, 'access_model_names'))
  }
  for (const { alias, accessGroups } of mapped.routes.values()) {
    for (const group of accessGroups) names.set(group, [...(names.get(group) ?? []), alias])
  }
  const memberships = await database.table('LiteLLM_TeamMembership')
  const counts = await database.keysPer(['user_id', 'team_id'])
  return {
    now,
    names: { aliases: [...new Set([...mapped.routes.values()].map(({ alias }) => alias))], groups: names },
    budgets: await by('LiteLLM_BudgetTable', 'budget_id'),
    teams: await by('LiteLLM_TeamTable', 'team_id'),
    users: await by('LiteLLM_UserTable', 'user_id'),
    organizations: await by('LiteLLM_OrganizationTable', 'organization_id'),
    projects: await by('LiteLLM_ProjectTable', 'project_id'),
    aliases: await by('LiteLLM_ModelTable', 'id'),
    memberships: new Map(memberships.map((row) => [holderOf(textIn(row, 'user_id'), textIn(row, 'team_id')), row])),
    keysOf: new Map(
      counts.map((row) => [holderOf(textIn(row, 'user_id'), textIn(row, 'team_id')), Number(row['keys'])]),
    ),
    replaced: await readReplaced(database, now),
    groups,
  }
}

async function readReplaced(database: LitellmDatabase, now: number): Promise<Map<string, Row[]>> {
  const replaced = new Map<string, Row[]>()
  for (const row of await database.table('LiteLLM_DeprecatedVerificationToken')) {
    if (Number(row['revoke_at']) <= now) continue
    const active = String(row['active_token_id'])
    replaced.set(active, [...(replaced.get(active) ?? []), row])
  }
  return replaced
}

export function budgetOf(row: Row, { budgets }: Pick<Books, 'budgets'>): Row | null {
  return budgets.get(textIn(row, 'budget_id') ?? '') ?? null
}

/** The models of a row, with those of its access groups. */
export function modelsOf(row: Row | undefined, { names, groups }: Books, team: Allowed = null): Allowed {
  if (row === undefined) return null
  const listed = listIn(row, 'models')
  const grouped = listIn(row, 'access_group_ids').flatMap((id) => groups.get(id) ?? [])
  return allowedBy([...listed, ...grouped], names, team)
}
