import type { RouteDefinition } from '../../../domain/route.ts'
import type { Finding } from '../../finding.ts'
import type { MappedConfig } from '../mapped-config.ts'
import type { LitellmSource } from '../source.ts'
import { addToSource } from './add-to-source.ts'
import { type Books, readBooks } from './books.ts'
import { type LitellmDatabase, openLitellmDatabase } from './database.ts'
import { type MovedKey, mapKey } from './keys.ts'
import { saltKeyBytes } from './open-value.ts'
import { jsonIn } from './rows.ts'
import { createTally } from './tally.ts'
import { type MovedTeams, mapTeams } from './teams.ts'

const KEYS = 'LiteLLM_VerificationToken'
const PAGE = 1_000
/** The release whose schema the import was last tested with. */
const TESTED = '1.97'

export interface DatabaseOptions {
  address: string
  saltKey: string | null
  /** Keys that would be looser are paused. */
  strict: boolean
  now: number
  /** Names of workspaces here that other things use. */
  taken: readonly string[]
  mapConfig(source: LitellmSource, isOnlyWorkspace: boolean): MappedConfig
  onProgress?(done: number, all: number): void
}

/** Everything that the database adds to a file. */
export interface ImportedDatabase {
  /** The configuration of file and database together. */
  mapped: MappedConfig
  workspaces: MovedTeams['workspaces']
  findings: Finding[]
  counts: { keys: number; moved: number }
  /** All keys again, page by page: there may be more than fit into memory. */
  keys(): AsyncIterable<MovedKey[]>
  close(): Promise<void>
}

export async function importDatabase(source: LitellmSource, options: DatabaseOptions): Promise<ImportedDatabase> {
  const database = await openLitellmDatabase(options.address)
  try {
    return await read(database, source, options)
  } catch (error) {
    await database.close()
    throw error
  }
}

async function read(
  database: LitellmDatabase,
  source: LitellmSource,
  options: DatabaseOptions,
): Promise<ImportedDatabase> {
  const saltKey = options.saltKey === null ? null : saltKeyBytes(options.saltKey)
  const added = await addToSource(source, database, saltKey)
  const mapped = options.mapConfig(added.source, (await database.count('LiteLLM_TeamTable')) === 0)
  const books = await readBooks(database, mapped, options.now)
  const tally = createTally()
  const teams = mapTeams(books, tally, new Set(['default', ...options.taken.map((name) => name.toLowerCase())]))
  addTeamRoutes(mapped, books, teams)
  const counts = { keys: await database.count(KEYS), moved: 0 }
  const moved = () => mappedKeys(database, { books, teams, mapped, strict: options.strict })
  let read = 0
  for await (const page of moved()) {
    for (const { label, key, remarks } of page) {
      if (key !== null) counts.moved++
      for (const remark of remarks) tally.add(KEYS, label, remark)
    }
    read += page.length
    options.onProgress?.(read, counts.keys)
  }
  return {
    mapped,
    workspaces: teams.workspaces,
    findings: [...aboutDatabase(database), ...added.findings, ...tally.findings()],
    counts,
    async *keys() {
      for await (const page of moved()) yield page.flatMap(({ key }) => (key === null ? [] : [key]))
    },
    close: () => database.close(),
  }
}

interface Mapping {
  books: Books
  teams: MovedTeams
  mapped: MappedConfig
  strict: boolean
}

async function* mappedKeys(database: LitellmDatabase, { books, teams, mapped, strict }: Mapping) {
  const context = { books, teams, master: mapped.masterKey?.hash ?? null, strict, taken: new Set<string>() }
  for await (const rows of database.pages(KEYS, PAGE)) yield rows.map((row) => mapKey(row, context))
}

/** The models that are a team's alone, and the names that it has for others, as routes of its workspace. */
function addTeamRoutes({ config, routes }: MappedConfig, books: Books, teams: MovedTeams): void {
  const workspaces = config.workspaces ?? {}
  config.workspaces = workspaces
  const own = [...routes.values()].flatMap(({ alias, teamId, definition }) =>
    teamId === null ? [] : [{ workspace: teams.ofTeam.get(teamId), alias, route: definition }],
  )
  const named = [...books.teams].flatMap(([id, team]) => {
    const aliases = jsonIn(books.aliases.get(String(team['model_id'])) ?? {}, 'aliases')
    return Object.entries(aliases).map(([alias, target]) => {
      const route = routes.get(`${id}:${String(target)}`) ?? routes.get(String(target))
      return { workspace: teams.ofTeam.get(id), alias, route: route?.definition }
    })
  })
  for (const { workspace, alias, route } of [...own, ...named]) {
    if (workspace === undefined || route === undefined) continue
    const { shared: _, ...rest } = route
    const place = workspaces[workspace] ?? {}
    workspaces[workspace] = { ...place, routes: { ...place.routes, [alias]: rest as RouteDefinition } }
  }
}

function aboutDatabase({ migrations: { last, unfinished }, missing }: LitellmDatabase): Finding[] {
  const about = (status: Finding['status'], message: string): Finding => ({
    source: 'database:_prisma_migrations',
    path: '',
    status,
    direction: 'same',
    target: null,
    message,
  })
  return [
    about('exact', `tested with LiteLLM ${TESTED}; the last migration of this database is ${last ?? 'unknown'}`),
    ...unfinished.map((name) =>
      about('manual', `the migration ${name} did not finish: let LiteLLM finish it, then run the import again`),
    ),
    ...(missing.size === 0 ? [] : [about('exact', `not in this version, taken as empty: ${[...missing].join(', ')}`)]),
  ]
}
