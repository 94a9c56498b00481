import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startPostgres } from '../../test/postgres.ts'
import { median, spreadOf } from '../load/percentiles.ts'
import { fixed, markdownTable, spread } from '../report/table.ts'
import { timePages } from './dashboard-pages.ts'
import { startFilled } from './million.ts'
import { timeQueries } from './queries.ts'

const HELP = `Usage: node bench/rows/main.ts queries|pages [options]

Fills a database with calls, keys and an audit list, starts a gateway on it and times every read of the management API
over HTTP (queries), or every page of the dashboard in a browser (pages).

  --rows <number>       default 1000000
  --keys <number>       default 10000
  --days <number>       over which the calls are spread, default 30
  --engine <name>       sqlite (default) or postgres
  --data-dir <folder>   kept, and used as it is when it exists; left out: a temporary one. With sqlite only
  --repeat <number>     how often each is asked, default 7
  --help                prints this text
`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rows: { type: 'string', default: '1000000' },
    keys: { type: 'string', default: '10000' },
    days: { type: 'string', default: '30' },
    engine: { type: 'string', default: 'sqlite' },
    'data-dir': { type: 'string' },
    repeat: { type: 'string', default: '7' },
    help: { type: 'boolean', default: false },
  },
})
const measure = { queries: timeQueries, pages: timePages }[positionals[0] ?? '']
if (values.help || measure === undefined) process.stdout.write(HELP)
else {
  await using running = new AsyncDisposableStack()
  const temporary = mkdtempSync(join(tmpdir(), 'switchyard-rows-'))
  running.defer(() => rmSync(temporary, { recursive: true, force: true }))
  const server = values.engine === 'postgres' ? await startPostgres() : null
  if (server !== null) running.defer(() => server.stop())
  const gateway = await startFilled(values['data-dir'] ?? join(temporary, 'data'), {
    rows: Number(values.rows),
    keys: Number(values.keys),
    days: Number(values.days),
    ...(server === null ? {} : { databaseUrl: await server.createDatabase() }),
  })
  running.defer(() => gateway.stop())
  const lines = [['', 'median ms', 'middle half', 'worst ms']]
  await measure(gateway.url, async (name, run) => {
    await run()
    const times: number[] = []
    for (let round = 0; round < Number(values.repeat); round++) times.push(await run())
    lines.push([name, fixed(median(times), 1), spread(spreadOf(times), 1), fixed(Math.max(...times), 1)])
  })
  process.stdout.write(markdownTable(lines))
}
