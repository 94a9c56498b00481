import assert from 'node:assert/strict'
import type { Answered } from '../../harness.ts'
import { fc } from '../../property.ts'
import { KEYS, Lateness, verdict, type World } from './world.ts'

const PATHS = ['/v1/chat/completions', '/v1/messages', '/v1/responses', '/v1/embeddings'] as const
type Path = (typeof PATHS)[number]

/** One field each, or how the same fields are written. */
const FIELDS: ((body: Record<string, unknown>) => unknown)[] = [
  (body) => body,
  (body) => ({ ...body, temperature: 0 }),
  (body) => ({ ...body, temperature: 0.1 }),
  (body) => ({ ...body, top_p: 0.5 }),
  (body) => ({ ...body, metadata: { user_id: 'a' } }),
  (body) => ({ ...body, metadata: { user_id: 'b' } }),
  (body) => JSON.stringify(body, null, 1),
  (body) => Object.fromEntries(Object.entries(body).reverse()),
  (body) => JSON.stringify(body).replace('hello', 'hell\\u006f'),
  (body) => JSON.stringify(body).replace('hello', 'hello '),
]

const HEADERS: Record<string, string>[] = [
  {},
  { 'anthropic-beta': 'context-1m-2025-08-07' },
  { 'anthropic-beta': 'interleaved-thinking-2025-05-14' },
  { 'anthropic-version': '2023-01-01' },
  { 'x-gateway-session': 's1', 'user-agent': 'another' },
]

const NOT_FORWARDED = 4

export interface Asked {
  path: Path
  route: 'own' | 'twin' | 'shared' | 'acts' | 'claude'
  key: keyof typeof KEYS
  field: number
  headers: number
  isStream: boolean
  hasTools: boolean
  /** Where it is sent; what there is beyond the last place is the first one again. */
  place: number
}

function bodyOf({ path, route, field, isStream, hasTools }: Asked, run: number): string {
  const said = [{ role: 'user', content: `hello ${run}` }]
  const prompt = {
    '/v1/chat/completions': { messages: said, max_tokens: 20 },
    '/v1/messages': { messages: said, max_tokens: 20 },
    '/v1/responses': { input: said },
    '/v1/embeddings': { input: `hello ${run}` },
  }[path]
  const tools = hasTools ? { tools: [toolFor(path)] } : {}
  const body = FIELDS[field]?.({ model: route, ...prompt, ...tools, ...(isStream ? { stream: true } : {}) })
  return typeof body === 'string' ? body : JSON.stringify(body)
}

function toolFor(path: Path): unknown {
  const parameters = { type: 'object', properties: {} }
  if (path === '/v1/messages') return { name: 'act', input_schema: parameters }
  const named = { name: 'act', parameters }
  return path === '/v1/responses' ? { type: 'function', ...named } : { type: 'function', function: named }
}

/** Requests with the same text here may share an answer, and no others. */
function identityOf(asked: Asked, body: string, store: unknown): string {
  const { path, route, key, headers } = asked
  const isShared = route === 'shared' || route === 'claude'
  const workspace = key === 'other' ? 'other' : 'default'
  // An output limit of its own, or a hard budget, changes what is sent.
  const whose = isShared && key !== 'short' && key !== 'strict' ? workspace : key
  // Only a provider of this format is sent these headers.
  const isForwarded = path === '/v1/messages' && route === 'claude' && headers < NOT_FORWARDED
  return JSON.stringify([path, route, whose, body, isForwarded ? headers : 0, store])
}

const VALUES: { [Name in keyof Asked]: readonly Asked[Name][] } = {
  path: PATHS,
  route: ['shared', 'own', 'twin', 'acts', 'claude'],
  key: ['first', 'second', 'short', 'strict', 'other'],
  field: [...FIELDS.keys()],
  headers: [...HEADERS.keys()],
  isStream: [false, true],
  hasTools: [false, true],
  place: [0, 1, 2],
}
const NAMES = Object.keys(VALUES) as (keyof Asked)[]
const oneChange = NAMES.flatMap((name) => VALUES[name].map((value): Partial<Asked> => ({ [name]: value })))

/** Requests with tools are mostly not stored. */
const base = fc
  .record({
    path: fc.constantFrom(...VALUES.path),
    route: fc.constantFrom(...VALUES.route),
    key: fc.constantFrom(...VALUES.key),
    field: fc.constantFrom(...VALUES.field),
    headers: fc.constantFrom(...VALUES.headers),
    isStream: fc.boolean(),
    hasTools: fc.boolean(),
    place: fc.constantFrom(...VALUES.place),
  })
  .map((asked): Asked => ({ ...asked, hasTools: asked.hasTools && asked.route === 'acts' }))
const change = fc.oneof(
  fc.constant({}),
  ...NAMES.map((name) => fc.constantFrom(...VALUES[name].map((value) => ({ [name]: value })))),
)

/** A request, and the same with one thing changed, or none. */
const sequence = fc
  .record({ first: base, others: fc.array(change, { minLength: 12, maxLength: 12 }) })
  .map(({ first, others }) => [first, ...others.map((changed): Asked => ({ ...first, ...changed }))])

const FIRST: Asked = {
  ...{ path: '/v1/chat/completions', route: 'shared', key: 'first', field: 0, headers: 0 },
  ...{ isStream: false, hasTools: false, place: 0 },
}

const FIRSTS: readonly Asked[] = [
  { ...FIRST, isStream: true },
  { ...FIRST, route: 'acts', isStream: true, hasTools: true },
  { ...FIRST, path: '/v1/messages', route: 'claude', headers: 1 },
]

/** Every request that differs from one of these in one thing, and that request again. */
const always = FIRSTS.map((first): [Asked[]] => [
  [first, ...oneChange.map((changed): Asked => ({ ...first, ...changed })), first],
])

/** Gateways and threads, and the simulator behind all of them. */
export interface Places {
  /** `store`: places with the same one share their answers. */
  all: readonly { store: unknown; post: Post; world: Pick<World, 'rows'> }[]
  upstream(): number
  /** A good answer that was paid has arrived in the store of the others. Absent: each has its own memory. */
  stored?(): Promise<void>
}
type Post = (path: string, body: string, key: string, headers: Record<string, string>) => Promise<Answered>

/** A stored answer is given for the same bytes to those who may have it, and for nothing else. */
export async function assertNeverAcross({ all, upstream, stored }: Places, numRuns: number): Promise<void> {
  let run = 0
  const lateness = new Lateness()
  const hits = new Map(all.map(({ world }) => [world, new Map<string, ReadonlySet<string>>()]))
  await fc.assert(
    fc.asyncProperty(sequence, async (requests) => {
      run += 1
      const paid = new Map<string, Set<string>>()
      for (const asked of requests) {
        const place = all[asked.place % all.length]
        assert.ok(place)
        const body = bodyOf(asked, run)
        const identity = identityOf(asked, body, place.store)
        let before = 0
        const ask = () => {
          before = upstream()
          return lateness.ask(() => place.post(asked.path, body, KEYS[asked.key], HEADERS[asked.headers] ?? {}))
        }
        let { answer, mayMiss } = await ask()
        const ids = paid.get(identity)
        const isBypassed = asked.hasTools && asked.route !== 'acts' && asked.path !== '/v1/embeddings'
        const expected = isBypassed ? 'bypass' : ids === undefined ? 'miss' : 'hit'
        while (ids !== undefined && stored !== undefined && verdict(answer) === 'miss' && mayMiss) {
          // The provider was asked, and its answer is stored in place of the other.
          ids.add(idOf(answer))
          ;({ answer, mayMiss } = await ask())
        }
        assert.equal(verdict(answer), expected, `${identity} ${answer.text}`)
        if (ids !== undefined) {
          assert.equal(upstream(), before)
          hits.get(place.world)?.set(idOf(answer), ids)
        } else if (expected === 'miss' && answer.status === 200) {
          assert.equal(upstream(), before + 1)
          paid.set(identity, new Set([idOf(answer)]))
          await stored?.()
        }
      }
    }),
    { numRuns, examples: always, endOnFailure: true },
  )
  for (const [world, given] of hits) {
    const rows = new Map((await world.rows()).map((row) => [row.id, row['answer_of']]))
    for (const [hit, ids] of given) assert.ok(ids.has(String(rows.get(hit))), hit)
    assert.ok(given.size > 0)
  }
}

const idOf = ({ headers }: Answered) => headers.get('x-gateway-request-id') ?? ''
