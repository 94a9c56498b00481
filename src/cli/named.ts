import { CONTRACT } from '../management/contract/contract.ts'
import type { Operation } from '../management/contract/operation.ts'
import type { AnyInput, ApiClient, OperationName } from './api-client.ts'
import { CliError } from './cli-error.ts'

interface Thing {
  id: string
  name: string
  expires_at?: string | null
  revoked_at?: string | null
}

/** Where an id is asked for, the list that knows the names. */
const LISTS: readonly [path: RegExp, kind: string, list: OperationName][] = [
  [/^\/keys\/\{id\}/, 'key', 'keys.list'],
  [/^\/admin-keys\/\{id\}/, 'admin key', 'admin-keys.list'],
  [/^\/nodes\/\{id\}/, 'node', 'nodes.list'],
  [/^\/alert-channels\/\{id\}/, 'channel', 'alert-channels.list'],
]

/** A lower-case ULID. */
const ID = /^[0-9a-hjkmnp-tv-z]{26}$/

/** The same input with ids where it has names: of the path, and `--key` of lists, sums and corrections of reports. */
export async function withIds(operation: Operation, input: AnyInput, client: ApiClient): Promise<AnyInput> {
  const found = LISTS.find(([path]) => path.test(operation.path))
  if (found !== undefined) {
    const [, kind, list] = found
    return { ...input, params: { ...input.params, id: await idOf(input.params['id'], kind, list, client, null) } }
  }
  if (operation === CONTRACT['reconciliation.correct']) {
    const body = input.body as { key?: string }
    return { ...input, body: { ...body, key: await idOf(body.key, 'key', 'keys.list', client, null) } }
  }
  const { key, workspace } = input.query
  if (key === undefined) return input
  return {
    ...input,
    query: { ...input.query, key: await idOf(key, 'key', 'keys.list', client, workspace ?? 'default') },
  }
}

async function idOf(given: unknown, kind: string, list: OperationName, client: ApiClient, workspace: unknown) {
  if (typeof given !== 'string' || ID.test(given)) return given
  return chooseId(given, kind, await thingsLike(given, list, client, workspace))
}

/** Of several, the one that still works; for an unknown name, the gateway answers that it does not exist. */
export function chooseId(name: string, kind: string, things: readonly Thing[], now = Date.now()): string {
  if (things.some(({ id }) => id === name)) return name
  const all = things.filter((thing) => thing.name === name)
  const live = all.filter(({ revoked_at: revoked, expires_at: expiry }) => {
    return (revoked ?? null) === null && (expiry == null || Date.parse(expiry) > now)
  })
  const fitting = live.length > 0 ? live : all
  if (fitting.length > 1) {
    const ids = fitting.map(({ id }) => id).join(', ')
    throw new CliError(`${fitting.length} ${kind}s are called ${name}: say which by its id: ${ids}`, 2)
  }
  return fitting[0]?.id ?? name
}

/** Keys are listed by workspace and may be many: each workspace is asked for those with this name in theirs. */
async function thingsLike(
  search: string,
  list: OperationName,
  client: ApiClient,
  workspace: unknown,
): Promise<Thing[]> {
  if (list !== 'keys.list') return pages(list, client, {})
  const found: Thing[] = []
  const names = workspace === null ? (await pages('workspaces.list', client, {})).map(({ name }) => name) : [workspace]
  for (const name of names) found.push(...(await keysLike(search.slice(0, 100), client, name)))
  return found
}

/** A gateway of a version that knows no search refuses one: then all of its keys are read. */
async function keysLike(search: string, client: ApiClient, workspace: unknown): Promise<Thing[]> {
  try {
    return await pages('keys.list', client, { workspace, search })
  } catch (error) {
    if (!(error instanceof CliError && error.exitCode === 2)) throw error
    return pages('keys.list', client, { workspace, limit: 500 })
  }
}

async function pages(list: OperationName, client: ApiClient, query: Record<string, unknown>): Promise<Thing[]> {
  const found: Thing[] = []
  for (let cursor: string | null | undefined = null; cursor !== undefined; ) {
    const more: Record<string, unknown> = cursor === null ? query : { ...query, cursor }
    const input = { params: {}, query: more, body: undefined }
    const page = (await client.callAny(CONTRACT[list], input)) as { data: Thing[]; next_cursor?: string | null }
    found.push(...page.data)
    cursor = page.next_cursor ?? undefined
  }
  return found
}
