import { type Kysely, sql } from 'kysely'
import type { Database } from '../store/engine/schema.ts'
import { StoreError } from '../store/engine/store-error.ts'
import { compare, type Verdict } from './compare.ts'
import { analyze, type CopyOptions, copyControl, copyLog, countSource, type SourceCounts } from './copy-tables.ts'
import { type Mark, readMark, writeMark, zerosOf } from './mark.ts'
import { openSource, type Source } from './source.ts'
import { type NeededKeys, neededKeys } from './stored-secrets.ts'
import { prepareTarget, refuseUsed, withTarget } from './target.ts'

export interface MoveOptions extends CopyOptions {
  /** Data folder of an embedded gateway. */
  from: string
  /** Address of a PostgreSQL database. */
  to: string
  /** From SECRETS_KEY. */
  secretsKeys: readonly string[] | null
  verifyOnly: boolean
  onSource(source: Source, counts: SourceCounts): void
  onStep(text: string): void
}

export interface Moved {
  verdict: Verdict
  keys: NeededKeys
  /** Zero characters that PostgreSQL cannot hold and that are U+FFFD there. */
  zeros: number
}

/**
 * Moves everything that an embedded gateway holds into an empty PostgreSQL, and compares. What was moved counts only
 * when all of it is equal: until then no gateway starts on the target.
 */
export async function moveInstallation(options: MoveOptions): Promise<Moved> {
  const source = await openSource(options.from, { readOnly: options.verifyOnly })
  try {
    const keys = await neededKeys(source.db, source.dataDir, options.secretsKeys)
    const counts = await countSource(source.db)
    options.onSource(source, counts)
    return await withTarget(options.to, async (target) => {
      const databases = { source: source.db, target }
      const mark = options.verifyOnly
        ? await markOfPresent(target)
        : await copyAll(databases, await begin(source, counts, target), options)
      options.onStep('Comparing')
      const verdict = await compare(databases, mark)
      if (verdict.isEqual && mark !== null && mark.finished_at === null && !options.verifyOnly) {
        await writeMark(target, { ...mark, finished_at: Date.now() })
      }
      return { verdict, keys, zeros: zerosOf(mark) }
    })
  } finally {
    await source.close()
  }
}

async function markOfPresent(target: Kysely<Database>): Promise<Mark | null> {
  const found = await sql<{ settings: string | null }>`select to_regclass('settings') as settings`.execute(target)
  if ((found.rows[0]?.settings ?? null) === null) throw new StoreError('the target holds nothing of Switchyard yet')
  return readMark(target)
}

/** The mark of the run before this one, or a first one in a target that is empty. */
async function begin(source: Source, { fingerprint }: SourceCounts, target: Kysely<Database>): Promise<Mark> {
  await prepareTarget(target)
  const found = await readMark(target)
  if (found === null) {
    await refuseUsed(target)
    const { dataDir: from } = source
    const first = { from, fingerprint, begun_at: Date.now(), finished_at: null, has_control: false, tables: {} }
    await writeMark(target, first)
    return first
  }
  if (found.finished_at !== null || found.fingerprint === fingerprint) return found
  throw new StoreError(
    `the target holds a part of what was moved from ${found.from} on ${day(found.begun_at)}, ` +
      `and ${source.dataDir} is another one or has been used since: start over with an empty database (createdb NAME)`,
  )
}

async function copyAll(
  databases: { source: Kysely<Database>; target: Kysely<Database> },
  begun: Mark,
  options: MoveOptions,
): Promise<Mark> {
  if (begun.finished_at !== null) {
    options.onStep(`Everything was moved on ${day(begun.finished_at)} already`)
    return begun
  }
  const withControl = await copyControl(databases, begun)
  const done = await copyLog(databases, withControl, options)
  await analyze(databases.target)
  return done
}

function day(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}
