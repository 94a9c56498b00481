import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Kysely } from 'kysely'
import { createFold, readPosition } from '../src/request-log/fold/fold.ts'
import { SpoolReader } from '../src/request-log/spool/reader.ts'
import { closeLine, openLine } from '../src/request-log/spool/record-lines.ts'
import { Spool } from '../src/request-log/spool/spool.ts'
import type { Database } from '../src/store/engine/schema.ts'
import { openSqlite } from '../src/store/engine/sqlite-connection.ts'
import { sqliteDialect } from '../src/store/engine/sqlite-dialect.ts'
import { migrate } from '../src/store/migrations/migrations.ts'
import { type CallRecords, callRecords } from './call-records.ts'
import { fillLog } from './log-fill.ts'

const HELP = `Usage: node bench/fold.ts [options]

What a call costs the request log, in microseconds of processor time: appended to the spool
(serving thread); read and folded into the embedded database (ledger worker). All of it in one
thread here, one after the other.

  --calls <number>     calls in all, default 20000
  --gather <number>    calls that are folded together, default 500 (5,000 a second gathered for a tenth of a second)
  --group <number>     calls that are written in one turn of the event loop, default 8
  --log <number>       rows that the request log has already, default 0
  --help               print this text
`

type Step = 'append' | 'read' | 'fold'

class Clock {
  readonly used: Record<Step, number> = { append: 0, read: 0, fold: 0 }

  async run<T>(step: Step, work: () => T | Promise<T>): Promise<T> {
    const before = threadMicroseconds()
    const result = await work()
    this.used[step] += threadMicroseconds() - before
    return result
  }
}

function threadMicroseconds(): number {
  // Linux brings a thread's time up to date only when it is asked for that of the whole process.
  process.cpuUsage()
  const { user, system } = process.threadCpuUsage()
  return user + system
}

async function measure(folder: string, options: { calls: number; gather: number; group: number; log: number }) {
  const connection = openSqlite(join(folder, 'switchyard.db'), false)
  const db = new Kysely<Database>({ dialect: sqliteDialect(connection) })
  await migrate(db, 'sqlite', Date.now())
  if (options.log > 0) await fillLog(db, { rows: options.log, end: Date.now(), onProgress: () => {} })
  const path = join(folder, 'spool')
  const spool = new Spool(path, { synchronousFull: false, onCommit: () => {} })
  const reader = new SpoolReader(path)
  const ledger = createFold(db, spool.node)
  let position = await readPosition(db, spool.node)
  const warmUp = Math.min(2_000, options.calls)
  let clock = new Clock()
  for (let done = -warmUp; done < options.calls; done += options.gather) {
    if (done >= 0 && done < options.gather) clock = new Clock()
    const records = Array.from({ length: options.gather }, (_, index) => callRecords(warmUp + done + index, Date.now()))
    await clock.run('append', () => appendAll(spool, records, options.group))
    for (;;) {
      const rows = await clock.run('read', () => reader.read(position))
      if (rows.length === 0) break
      position = await clock.run('fold', () => ledger.fold(position, rows))
    }
    spool.folded(position)
  }
  await spool.close()
  reader.close()
  await db.destroy()
  return clock
}

/** As many callers at a time as a group has, each of which waits for its open row and then for its closed one. */
async function appendAll(spool: Spool, records: readonly CallRecords[], group: number): Promise<void> {
  const work = records.values()
  const caller = async () => {
    for (const { open, close } of work) {
      await spool.append(openLine(open))
      await spool.appendEnd(closeLine(close))
    }
  }
  await Promise.all(Array.from({ length: group }, caller))
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      calls: { type: 'string', default: '20000' },
      gather: { type: 'string', default: '500' },
      group: { type: 'string', default: '8' },
      log: { type: 'string', default: '0' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(HELP)
    return
  }
  const [calls, gather] = [Number(values.calls), Number(values.gather)]
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-fold-'))
  try {
    const { used } = await measure(folder, { calls, gather, group: Number(values.group), log: Number(values.log) })
    const counted = Math.ceil(calls / gather) * gather
    for (const [step, microseconds] of Object.entries(used)) {
      process.stdout.write(`${step.padEnd(11)}${(microseconds / counted).toFixed(1).padStart(7)} µs a call\n`)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

await main()
