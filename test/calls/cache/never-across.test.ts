import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { KEYS, startWorld, verdict, type World } from './world.ts'

const world: World = await startWorld()
after(() => world.stop())

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

interface Asked {
  path: Path
  route: 'own' | 'twin' | 'shared' | 'acts' | 'claude'
  key: keyof typeof KEYS
  field: number
  headers: number
  isStream: boolean
  hasTools: boolean
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
function identityOf(asked: Asked, body: string): string {
  const { path, route, key, headers } = asked
  const isShared = route === 'shared' || route === 'claude'
  const workspace = key === 'other' ? 'other' : 'default'
  const whose = isShared && key !== 'short' ? workspace : key
  // Only a provider of this format is sent these headers.
  const isForwarded = path === '/v1/messages' && route === 'claude' && headers < NOT_FORWARDED
  return JSON.stringify([path, route, whose, body, isForwarded ? headers : 0])
}

const one: { [Name in keyof Asked]: fc.Arbitrary<Asked[Name]> } = {
  path: fc.constantFrom(...PATHS),
  route: fc.constantFrom('shared', 'own', 'twin', 'acts', 'claude'),
  key: fc.constantFrom('first', 'second', 'short', 'other'),
  field: fc.nat(FIELDS.length - 1),
  headers: fc.nat(HEADERS.length - 1),
  isStream: fc.boolean(),
  hasTools: fc.boolean(),
}
/** Without tools, whose requests are mostly not stored. */
const base: fc.Arbitrary<Asked> = fc.record({ ...one, hasTools: fc.constant(false) })
const changes = Object.entries(one).map(([name, value]) =>
  value.map((changed): Partial<Asked> => ({ [name]: changed })),
)

/** A request, and the same with one thing changed, or none. */
const sequence = fc
  .record({ first: base, others: fc.array(fc.oneof(fc.constant({}), ...changes), { minLength: 12, maxLength: 12 }) })
  .map(({ first, others }) => [first, ...others.map((changed): Asked => ({ ...first, ...changed }))])

test('a stored answer is given for the same bytes to those who may have it, and for nothing else', async () => {
  const seen = { hit: 0, miss: 0, bypass: 0 }
  let run = 0
  await fc.assert(
    fc.asyncProperty(sequence, async (all) => {
      run += 1
      const stored = new Map<string, string | null>()
      for (const asked of all) {
        const body = bodyOf(asked, run)
        const identity = identityOf(asked, body)
        const before = world.upstream().length
        const answer = await world.post(asked.path, body, KEYS[asked.key], HEADERS[asked.headers])
        const isBypassed = asked.hasTools && asked.route !== 'acts' && asked.path !== '/v1/embeddings'
        const expected = isBypassed ? 'bypass' : stored.has(identity) ? 'hit' : 'miss'
        assert.equal(verdict(answer), expected, `${identity} ${answer.text}`)
        if (expected === 'hit') {
          assert.equal(world.upstream().length, before)
          assert.equal((await world.rowOf(answer))['answer_of'], stored.get(identity))
        } else if (expected === 'miss' && answer.status === 200) {
          assert.equal(world.upstream().length, before + 1)
          stored.set(identity, answer.headers.get('x-gateway-request-id'))
        }
        seen[expected] += 1
      }
    }),
    { numRuns: 60 },
  )
  for (const [what, times] of Object.entries(seen)) assert.ok(times > 0, `${what}: ${times}`)
})
