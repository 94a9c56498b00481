import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { CONTRACT } from '../src/management/contract/contract.ts'
import { ADMIN_KEY, fillFolder, keyId, startOn } from './million.ts'

const HELP = `Usage: node bench/api-queries.ts [options]

Fills a data folder with a month of calls in one workspace, starts a gateway on it and times every reading operation of
the management API over HTTP.

  --rows <number>       default 1000000
  --keys <number>       default 10000
  --data-dir <folder>   kept, and used as it is when it is there already; left out: a temporary one
  --repeat <number>     how often each is asked, default 7
  --help                print this text
`
const DAY_MS = 86_400_000
/** What a page that asks several of these can bear. */
const LIMIT_MS = 300

const ago = (milliseconds: number) => new Date(Date.now() - milliseconds).toISOString()

/** What the pages of the dashboard ask, beyond each operation without parameters. */
function questions(requestId: string, auditId: string): string[] {
  const places: Record<string, string> = {
    '/workspaces/{name}': '/workspaces/default',
    '/keys/{id}': `/keys/${keyId(1)}`,
    '/routes/{alias}': '/routes/route-1',
    '/providers/{name}': '/providers/first',
    '/providers/{name}/routes': '/providers/first/routes',
    '/registry/{provider}/{model}': '/registry/first/a-model-of-some-length-0',
    '/registry/{provider}/{model}/history': '/registry/first/a-model-of-some-length-0/history',
    '/requests/{id}': `/requests/${requestId}`,
    '/requests/{id}/explain': `/requests/${requestId}/explain`,
    '/audit/{id}': `/audit/${auditId}`,
    '/usage/what-if': `/usage/what-if?model=first/a-model-of-some-length-0&from=${ago(DAY_MS)}`,
  }
  const plain = Object.values(CONTRACT)
    .filter(({ method, stream }) => method === 'GET' && stream === null)
    .map(({ path }) => places[path] ?? path)
  const ranges = { '1 h': 3_600_000, '24 h': DAY_MS, '7 d': 7 * DAY_MS, '30 d': 30 * DAY_MS }
  const usage = Object.values(ranges).flatMap((range) => {
    const interval = range <= 3_600_000 ? 'minute' : range <= 7 * DAY_MS ? 'hour' : 'day'
    const groups = ['model', 'route', 'key', 'provider', 'code'].map(
      (group) => `&interval=${interval}&group_by=${group}`,
    )
    const before = `/usage?from=${ago(2 * range)}&to=${ago(range)}`
    return [`/usage?from=${ago(range)}`, before, `/usage?from=${ago(range)}&interval=${interval}`].concat(
      groups.map((group) => `/usage?from=${ago(range)}${group}`),
    )
  })
  return [
    ...plain,
    ...usage,
    `/usage/what-if?model=first/a-model-of-some-length-0&from=${ago(30 * DAY_MS)}`,
    '/keys?limit=500',
    '/budgets?limit=500',

    '/catalog?limit=500',
    '/registry?limit=500',
    '/audit?limit=500',
    `/audit?resource=keys/${keyId(7)}`,
    '/requests?limit=500',
    `/requests?key=${keyId(1)}`,
    '/requests?route=route-6',
    '/requests?status=error',
    '/requests?fallback=true',
    '/requests?model=nothing',
    '/requests?min_cost_usd=1',
    `/requests?from=${ago(60_000)}`,
  ]
}

async function measure(dataDir: string, repeat: number): Promise<void> {
  const began = performance.now()
  const gateway = await startOn(dataDir)
  process.stdout.write(
    `started in ${(performance.now() - began).toFixed(0)} ms\n\n| question | median ms | worst ms | kB |\n`,
  )
  process.stdout.write('|---|--:|--:|--:|\n')
  const get = async (path: string) => {
    const response = await fetch(gateway.url + path, { headers: { authorization: `Bearer ${ADMIN_KEY}` } })
    const text = await response.text()
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${text.slice(0, 300)}`)
    return text
  }
  try {
    const { id } = JSON.parse(await get('/requests?limit=1')).data[0]
    const audit = JSON.parse(await get('/audit?limit=1')).data[0]
    const slow: string[] = []
    for (const path of questions(id, audit.id)) {
      const size = (await get(path)).length
      const times: number[] = []
      for (let round = 0; round < repeat; round++) {
        const asked = performance.now()
        await get(path)
        times.push(performance.now() - asked)
      }
      times.sort((a, b) => a - b)
      const median = times[times.length >> 1] ?? 0
      if (median > LIMIT_MS) slow.push(path)
      const cells = [path, median.toFixed(1), (times.at(-1) ?? 0).toFixed(1), (size / 1000).toFixed(1)]
      process.stdout.write(`| ${cells.join(' | ')} |\n`)
    }
    process.stdout.write(`\nAbove ${LIMIT_MS} ms: ${slow.length === 0 ? 'none' : slow.join(', ')}\n`)
  } finally {
    await gateway.stop()
  }
}

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    keys: { type: 'string', default: '10000' },
    'data-dir': { type: 'string' },
    repeat: { type: 'string', default: '7' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) process.stdout.write(HELP)
else {
  const dataDir = values['data-dir'] ?? mkdtempSync(join(tmpdir(), 'switchyard-million-'))
  try {
    if (!existsSync(join(dataDir, 'switchyard.db'))) await fillFolder(dataDir, Number(values.rows), Number(values.keys))
    await measure(dataDir, Number(values.repeat))
  } finally {
    if (values['data-dir'] === undefined) rmSync(dataDir, { recursive: true, force: true })
  }
}
