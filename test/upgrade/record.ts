import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { startSimulator } from '../../simulator/simulator.ts'
import { ADMIN_KEY, KEY, until } from '../harness.ts'
import { postgresBinaries, startPostgres } from '../postgres.ts'
import { headersOf, live, type Witness } from './life.ts'
import { checkOut, type OlderProgram, serveOlder } from './older-program.ts'
import { pack, packDump, type Stored } from './stored.ts'

/**
 * `node test/upgrade/record.ts REF VERSION`: lets the gateway of a tag or commit live a while, kills it, and keeps what
 * it left in test/upgrade/stored/VERSION, on SQLite and on PostgreSQL. Done once for each release.
 */
if (import.meta.main) {
  const [ref, version] = parseArgs({ allowPositionals: true }).positionals
  if (ref === undefined || version === undefined) throw new Error('usage: node test/upgrade/record.ts REF VERSION')
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-record-'))
  try {
    const program = checkOut(ref, folder)
    for (const engine of ['sqlite', 'postgres'] as const) {
      await record(program, { engine, into: join(import.meta.dirname, 'stored', version, engine) })
      process.stdout.write(`recorded ${version} on ${engine}\n`)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Ends with `kill -9`, while rows are in the spool only and one call is open. */
export async function record(
  program: OlderProgram,
  { engine, into }: { engine: Stored['engine']; into: string },
): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-record-'))
  stack.defer(() => rmSync(folder, { recursive: true, force: true }))
  const dataDir = join(folder, 'data')
  const simulator = stack.adopt(await startSimulator(), (each) => each.close())
  const server = engine === 'sqlite' ? null : stack.adopt(await startPostgres(), (each) => each.stop())
  const database = await server?.createDatabase()
  const { url, child } = await serveOlder(program, {
    ...environmentOf(simulator),
    DATA_DIR: dataDir,
    ...(database !== undefined && { DATABASE_URL: database }),
  })
  const witness = await live(url, (ids) => until(() => knows(url, ids), 'the log has every row'))
  child.kill('SIGKILL')
  await once(child, 'exit')
  mkdirSync(into, { recursive: true })
  pack(dataDir, into)
  if (database !== undefined) packDump(database, postgresBinaries(), into)
  writeFileSync(join(resolve(into), 'witness.json'), `${JSON.stringify(witness satisfies Witness, null, 2)}\n`)
}

export function environmentOf(simulator: { openaiUrl: string; anthropicUrl: string }): Record<string, string> {
  return {
    LOG_LEVEL: 'warn',
    OVERLOAD_MS: '0',
    GATEWAY_KEY: KEY,
    ADMIN_KEY,
    OPENAI_API_KEY: 'sk-test-openai-key',
    OPENAI_BASE_URL: simulator.openaiUrl,
    OPENAI_SPEAKS: 'chat',
    ANTHROPIC_API_KEY: 'sk-ant-test-key',
    ANTHROPIC_BASE_URL: simulator.anthropicUrl,
  }
}

/** Whether the database, not the spool alone, has these rows. */
async function knows(url: string, ids: readonly string[]): Promise<boolean> {
  const found = await Promise.all(
    ids.map((id) => fetch(`${url}/requests/${id}`, { headers: headersOf(ADMIN_KEY) }).then(({ ok }) => ok)),
  )
  return found.every(Boolean)
}
