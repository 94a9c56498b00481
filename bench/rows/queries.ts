import { ADMIN_KEY } from '../run/gateway.ts'
import { bearer } from '../run/scene.ts'
import { keyId } from './million.ts'

const DAY_MS = 86_400_000
const MODEL = 'first/a-model-of-some-length-0'
const ago = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString()

/** Values for the path parameters of the API. */
const IDS: Readonly<Record<string, string>> = {
  '/workspaces/{name}': '/workspaces/default',
  '/keys/{id}': `/keys/${keyId(1)}`,
  '/routes/{alias}': '/routes/route-1',
  '/providers/{name}': '/providers/first',
  '/providers/{name}/routes': '/providers/first/routes',
  '/registry/{provider}/{model}': `/registry/${MODEL}`,
  '/registry/{provider}/{model}/history': `/registry/${MODEL}/history`,
  '/usage/what-if': `/usage/what-if?model=${MODEL}&from=${ago(1)}`,
}

const FILTERS = [
  ...['', 'limit=500', `to=${ago(15)}`, `to=${ago(29)}`, `from=${ago(20)}&to=${ago(19)}`, `from=${ago(0.001)}`],
  ...['route=route-6', `route=route-6&to=${ago(15)}`, `key=${keyId(6)}`, `key=${keyId(6)}&to=${ago(15)}`],
  ...[`key=${keyId(6)}&route=route-6`, 'model=a-model-of-some-length-2', 'model=nothing', 'provider=second'],
  ...['status=error', 'status=400', `code=rate_limited&to=${ago(15)}`, 'code=budget_exceeded', 'fallback=true'],
  ...['fallback=true&status=error', 'min_cost_usd=0.023', 'min_cost_usd=1', 'route=route-6&status=error'],
  ...['min_duration_ms=5000', 'sort=slowest', `sort=slowest&from=${ago(1)}`, 'sort=slowest&provider=second'],
].map((filter) => `/requests?${filter}`)

const USAGE = [1 / 24, 1, 7, 30].flatMap((days) => {
  const interval = days < 1 ? 'minute' : days <= 7 ? 'hour' : 'day'
  const groups = ['model', 'route', 'key', 'provider', 'code'].map((group) => `&interval=${interval}&group_by=${group}`)
  return ['', `&interval=${interval}`, ...groups].map((query) => `/usage?from=${ago(days)}${query}`)
})

const LISTS = ['/keys', '/budgets', '/catalog', '/registry', '/audit'].map((path) => `${path}?limit=500`)

/** Every read of the management API, and those of the dashboard with their filters and groups. */
export async function timeQueries(url: string, time: (name: string, run: () => Promise<number>) => Promise<void>) {
  const get = async (path: string) => {
    const answer = await fetch(url + path, { headers: bearer(ADMIN_KEY) })
    const text = await answer.text()
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${text.slice(0, 300)}`)
    return JSON.parse(text)
  }
  const request = `/requests/${(await get('/requests?limit=1')).data[0].id}`
  const audit = `/audit/${(await get('/audit?limit=1')).data[0].id}`
  const found = { '/requests/{id}': request, '/requests/{id}/explain': `${request}/explain`, '/audit/{id}': audit }
  const ids: Record<string, string> = { ...IDS, ...found }
  const { paths } = (await get('/openapi.json')) as { paths: Record<string, { get?: object }> }
  const reads = Object.keys(paths).filter((path) => paths[path]?.get !== undefined && !/^\/v1|export|live/.test(path))
  const named = reads.map((path) => ids[path] ?? path).filter((path) => !path.includes('{'))
  for (const path of [...named, ...USAGE, ...FILTERS, ...LISTS, `/audit?resource=keys/${keyId(7)}`]) {
    await time(path, async () => {
      const began = performance.now()
      await get(path)
      return performance.now() - began
    })
  }
}
