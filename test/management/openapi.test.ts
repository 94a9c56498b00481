import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { z } from 'zod'
import { ERRORS } from '../../src/domain/errors.ts'
import { CONTRACT } from '../../src/management/contract/contract.ts'
import { ADMIN_KEY, type Harness, hello, type Json, KEY, startHarness } from '../harness.ts'

let harness: Harness
before(async () => {
  harness = await startHarness()
})
after(() => harness.stop())

const admin = { authorization: `Bearer ${ADMIN_KEY}` }
const operations = Object.entries(CONTRACT)

/** Something for every parameter of a path. */
const concrete = (path: string) => path.replace(/\{\w+\}/g, 'nothing')

test('only signing in and signing out need no admin key', () => {
  const names = operations.filter(([, operation]) => operation.isPublic).map(([name]) => name)
  assert.deepEqual(names, ['sessions.create', 'sessions.options', 'sessions.end'])
})

describe('every operation that needs an admin key', () => {
  for (const [name, operation] of operations.filter(([, { isPublic }]) => !isPublic)) {
    const ask = async (headers: Record<string, string>) => {
      const response = await fetch(harness.url + concrete(operation.path), { method: operation.method, headers })
      assert.equal(response.headers.get('cache-control'), 'no-store')
      return { status: response.status, json: (await response.json()) as { error: { code: string; type: string } } }
    }

    test(`${name} is 401 without a key`, async () => {
      const { status, json } = await ask({})
      assert.deepEqual([status, json.error.code, json.error.type], [401, 'unauthorized', 'unauthorized'])
    })

    test(`${name} is 403 with a gateway key`, async () => {
      const { status, json } = await ask({ authorization: `Bearer ${KEY}` })
      assert.deepEqual([status, json.error.code, json.error.type], [403, 'forbidden', 'forbidden'])
    })
  }
})

describe('every operation of the contract', () => {
  for (const [name, operation] of operations) {
    test(`${name} refuses an unknown query parameter by its name`, async () => {
      const response = await fetch(`${harness.url + concrete(operation.path)}?no_such_parameter=1`, {
        method: operation.method,
        headers: admin,
      })
      assert.equal(response.status, 400)
      assert.match(await response.text(), /no_such_parameter/)
    })
  }
})

describe('/openapi.json', () => {
  test('is OpenAPI 3.1 with every operation, each with its parameters', async () => {
    const { json } = await harness.get('/openapi.json', {})
    assert.equal(json.openapi, '3.1.0')
    assert.deepEqual(json.servers, [{ url: '/', description: 'This gateway' }])
    for (const [name, operation] of operations) {
      const described = json.paths[operation.path]?.[operation.method.toLowerCase()]
      assert.equal(described?.operationId, name)
      const inPath = described.parameters.filter((parameter: { in: string }) => parameter.in === 'path')
      const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1])
      assert.deepEqual(inPath.map((parameter: { name: string }) => parameter.name).sort(), names.sort())
      assert.deepEqual(described.security, operation.isPublic ? [] : undefined)
    }
  })
})

describe('/openapi.json on the endpoints under /v1', () => {
  let document: Json
  before(async () => {
    document = (await harness.get('/openapi.json', {})).json
  })
  const described = (method: string, path: string) => document.paths[path]?.[method]
  const chat = () => described('post', '/v1/chat/completions')
  const bearer = { authorization: `Bearer ${KEY}` }

  /** Throws where a value is not as the schema at this place of the document says. */
  const check = (schema: Json, value: unknown) => z.fromJSONSchema(resolved(schema)).parse(value)
  const resolved = (value: Json): Json =>
    typeof value?.$ref === 'string' ? resolved(at(value.$ref)) : mapped(value, resolved)
  const at = (reference: string): Json =>
    reference
      .split('/')
      .slice(1)
      .reduce((found, step) => found[step], document)

  test('has each of them, with a gateway key and no other', () => {
    for (const [method, path] of [
      ['post', '/v1/chat/completions'],
      ['get', '/v1/models'],
      ['get', '/v1/models/{id}'],
    ] as const) {
      assert.deepEqual(described(method, path)?.security, [{ gateway_key: [] }], path)
    }
    assert.equal(document.components.securitySchemes.gateway_key.scheme, 'bearer')
    assert.deepEqual(document.security, [{ admin_key: [] }, { session: [] }])
  })

  test('every reference leads somewhere, every operation has an id of its own', () => {
    const references: string[] = []
    mapped(document, function collect(value: Json): Json {
      if (typeof value?.$ref === 'string') references.push(value.$ref)
      return mapped(value, collect)
    })
    assert.ok(references.length > 10)
    for (const reference of references) assert.ok(at(reference) !== undefined, reference)
    const ids = Object.values<Json>(document.paths).flatMap((path) =>
      Object.values<Json>(path).map((item) => item.operationId),
    )
    assert.equal(new Set(ids).size, ids.length)
  })

  test('a type with a name stands once, among the components', () => {
    const key = { $ref: '#/components/schemas/Key' }
    const listed = described('get', '/keys').responses[200].content['application/json'].schema
    assert.deepEqual(listed.properties.data.items, key)
    assert.deepEqual(described('get', '/keys/{id}').responses[200].content['application/json'].schema, key)
    assert.ok(document.components.schemas.Key.properties.allowed_models)
    assert.doesNotMatch(JSON.stringify(document), /\$defs/)
  })

  test('every operation has examples, valid by their schemas: what is sent, what comes back, values in the path', () => {
    let checked = 0
    const has = (media: Json, where: string) => {
      assert.ok(media.example !== undefined, `${where} has no example: node test/management/record-examples.ts`)
      const parsed = z.fromJSONSchema(resolved(media.schema)).safeParse(media.example)
      assert.ok(parsed.success, `${where}: ${parsed.error}`)
      checked++
    }
    for (const [path, methods] of Object.entries<Json>(document.paths)) {
      for (const operation of Object.values<Json>(methods)) {
        const where = `${operation.operationId} ${path}`
        const body = operation.requestBody?.content['application/json']
        if (body !== undefined) has(body, `the request of ${where}`)
        const [, success] = Object.entries<Json>(operation.responses).find(([status]) => status.startsWith('2')) ?? []
        const answer = success?.content && Object.values<Json>(success.content)[0]
        if (answer) has(answer, `the answer of ${where}`)
      }
    }
    assert.ok(checked > 90, `${checked}`)
    assert.doesNotMatch(JSON.stringify(document), /gw_(live|admin)_[A-Za-z0-9]*[1-9A-Za-z]{6}/)
  })

  test('every operation is called by test/management/typed-client/program.ts', () => {
    const program = readFileSync('test/management/typed-client/program.ts', 'utf8')
    for (const [path, methods] of Object.entries<Json>(document.paths)) {
      for (const method of Object.keys(methods)) {
        assert.ok(program.includes(`.${method.toUpperCase()}('${path}'`), `${method.toUpperCase()} ${path} is missing`)
      }
    }
  })

  test('the request is what the gateway checks: messages, parts and stop sequences are described', () => {
    const { schema } = chat().requestBody.content['application/json']
    const good = hello('gpt-4o', { stop: ['x'], temperature: 0.5, tools: [{ type: 'function' }], anything: 1 })
    check(schema, good)
    check(schema, hello('gpt-4o', { messages: [{ role: 'user', content: [{ type: 'text', text: 'x' }] }] }))
    for (const bad of [
      {},
      { model: 'gpt-4o' },
      { ...good, messages: 'x' },
      { ...good, messages: [{ role: 'king', content: 'x' }] },
      { ...good, messages: [{ role: 'user', content: [{ text: 'x' }] }] },
      { ...good, stop: [1] },
      { ...good, temperature: 'hot' },
    ]) {
      assert.throws(() => check(schema, bad), JSON.stringify(bad))
    }
  })

  test('answers are as described, headers included', async () => {
    const answer = await harness.chat(hello('gpt-sim-echo', { max_tokens: 5 }), { 'idempotency-key': 'once' })
    const described200 = chat().responses[200]
    check(described200.content['application/json'].schema, answer.json)
    for (const [name, header] of Object.entries<Json>(described200.headers)) {
      const { required, schema } = resolved(header)
      const value = answer.headers.get(name)
      assert.ok(value !== null || required !== true, `${name} is missing`)
      if (value !== null && schema.enum !== undefined) assert.ok(schema.enum.includes(value), `${name}: ${value}`)
      if (value !== null && schema.pattern !== undefined) assert.match(value, new RegExp(schema.pattern))
    }
    const own = [...answer.headers.keys()].filter((name) => name.startsWith('x-'))
    assert.deepEqual(
      own.filter((name) => !(name in described200.headers)),
      [],
    )
    const models = await harness.get('/v1/models')
    check(described('get', '/v1/models').responses[200].content['application/json'].schema, models.json)
    assert.equal(models.headers.get('x-gateway-streaming'), 'off')
    const one = await harness.get(`/v1/models/${models.json.data[0].id}`)
    check(described('get', '/v1/models/{id}').responses[200].content['application/json'].schema, one.json)
    for (const [path, asked] of [
      ['/v1beta/models', '/v1beta/models'],
      ['/v1beta/models/{model}', `/v1beta/models/${models.json.data[0].id}`],
    ] as const) {
      const { json } = await harness.get(asked, bearer)
      check(described('get', path).responses[200].content['application/json'].schema, json)
    }
  })

  test('every header of ours that the code knows is described', () => {
    const sources = globSync('src/{http,calls,limits}/**/*.ts').filter((path) => !path.endsWith('.test.ts'))
    const names = sources.flatMap((path) => [
      ...readFileSync(path, 'utf8').matchAll(/'(x-(?:gateway|ratelimit)-[a-z-]+)'/g),
    ])
    const known = { ...chat().responses[200].headers, ...described('get', '/v1/models').responses[200].headers }
    const sent = new Set(chat().parameters.map((parameter: Json) => resolved(parameter).name.toLowerCase()))
    const missing = names.map((match) => match[1] ?? '').filter((name) => !(name in known) && !sent.has(name))
    assert.ok(names.length > 10)
    assert.deepEqual([...new Set(missing)], [])
  })

  test('every error that a call can end with is there under its status', async () => {
    const management = ['managed_by_config', 'precondition_failed', 'too_many_attempts']
    for (const [code, { status }] of Object.entries(ERRORS).filter(([code]) => !management.includes(code))) {
      const response = resolved(chat().responses[status])
      assert.ok(response.description.includes(`\`${code}\``), code)
      const { schema } = response.content['application/json']
      check(schema, { error: { message: 'x', type: code, code } })
      assert.throws(() => check(schema, { error: { message: 'x', type: 'nothing', code: 'nothing' } }))
    }
    const refused = await fetch(`${harness.url}/v1/models`)
    check(document.components.schemas.Error, await refused.json())
    const unknown = await harness.get('/v1/models/nothing', bearer)
    assert.equal(unknown.status, 404)
    check(described('get', '/v1/models/{id}').responses[404].content['application/json'].schema, unknown.json)
  })
})

/** A copy, with everything inside it changed. */
function mapped(value: Json, change: (inside: Json) => Json): Json {
  if (Array.isArray(value)) return value.map(change)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inside]) => [name, change(inside)]))
}
