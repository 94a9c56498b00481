import type { ImportedDatabase } from '../../import/litellm/database/import-database.ts'
import type { MovedKey } from '../../import/litellm/database/keys.ts'
import type { MovedWorkspace } from '../../import/litellm/database/teams.ts'
import type { ReplyOf } from '../../management/contract/contract.ts'
import type { ApiClient } from '../api-client.ts'

type Workspace = ReplyOf<'workspaces.get'>
type Adoption = ReplyOf<'keys.adopt-many'>

/** How the import describes a workspace that it made; the id of the team or user is in it. */
const MADE_BY_IMPORT = /^(LiteLLM|one-api) (team|user) /

export async function workspacesHere(client: ApiClient): Promise<Map<string, Workspace>> {
  const found = new Map<string, Workspace>()
  for (let cursor: string | undefined; ; ) {
    const query = cursor === undefined ? {} : { cursor }
    const { data, next_cursor: next } = await client.call('workspaces.list', { query: { limit: 500, ...query } })
    for (const workspace of data) found.set(workspace.name, workspace)
    if (next === null) return found
    cursor = next
  }
}

/** Names that an import must not use: workspaces that it did not make. */
export function takenNames(here: ReadonlyMap<string, Workspace>): string[] {
  return [...here.values()].filter(({ description }) => !MADE_BY_IMPORT.test(description ?? '')).map(({ name }) => name)
}

export interface WorkspacePlan {
  created: MovedWorkspace[]
  /** Here already: only what was spent there has changed since. */
  spent: MovedWorkspace[]
  unchanged: number
}

export function planWorkspaces(moved: readonly MovedWorkspace[], here: ReadonlyMap<string, Workspace>): WorkspacePlan {
  const created = moved.filter(({ name }) => !here.has(name))
  const spent = moved.filter(({ name, opening }) => {
    const found = here.get(name)
    return found !== undefined && opening !== null && found.opening_spend?.usd !== opening
  })
  return { created, spent, unchanged: moved.length - created.length - spent.length }
}

/**
 * Streams are on, because LiteLLM always streams. `directModels`: as the imported configuration says, which may have
 * created some of them with their routes.
 */
export async function applyWorkspaces(
  client: ApiClient,
  { created, spent }: WorkspacePlan,
  directModels: boolean | undefined,
): Promise<void> {
  const here = created.length === 0 ? new Map() : await workspacesHere(client)
  for (const { name, description, limits } of created) {
    const direct = directModels === undefined ? {} : { direct_models: directModels }
    const settings = { description, limits, streaming: true, ...direct }
    if (here.has(name)) await client.call('workspaces.update', { params: { name }, body: settings })
    else await client.call('workspaces.create', { body: { name, ...settings } })
  }
  for (const { name, opening } of [...created, ...spent]) {
    if (opening === null) continue
    await client.call('workspaces.opening-spend', {
      params: { name },
      body: { usd: opening, note: 'as LiteLLM had it' },
    })
  }
}

/**
 * Creates the keys page by page, each in one transaction; or only says what would happen. `toCome`: workspaces that are
 * not there yet, whose keys can only be new.
 */
export async function adoptKeys(
  client: ApiClient,
  imported: Pick<ImportedDatabase, 'keys'>,
  { toCome, dryRun, onProgress }: { toCome: ReadonlySet<string>; dryRun: boolean; onProgress(done: number): void },
): Promise<Adoption> {
  const all: Adoption = { created: 0, changed: 0, unchanged: 0, renamed: [], refused: [] }
  let done = 0
  const send = async (moved: MovedKey[], more: boolean) => {
    const keys = moved.filter(({ workspace }) => !dryRun || !toCome.has(workspace))
    all.created += moved.length - keys.length
    if (keys.length > 0) add(all, await client.call('keys.adopt-many', { body: { dry_run: dryRun, more, keys } }))
    done += moved.length
    onProgress(done)
  }
  let held: MovedKey[] = []
  for await (const page of imported.keys()) {
    if (held.length > 0) await send(held, true)
    held = page
  }
  if (held.length > 0) await send(held, false)
  return all
}

function add(all: Adoption, page: Adoption): void {
  all.created += page.created
  all.changed += page.changed
  all.unchanged += page.unchanged
  all.renamed.push(...page.renamed)
  all.refused.push(...page.refused)
}
