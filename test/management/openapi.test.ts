import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { CONTRACT } from '../../src/management/contract/contract.ts'
import { ADMIN_KEY, type Harness, KEY, startHarness } from '../harness.ts'

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
  assert.deepEqual(names, ['sessions.create', 'sessions.end'])
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

describe('/docs', () => {
  test('is a page without a script that names every operation', async () => {
    const { headers, text } = await harness.get('/docs', {})
    assert.match(headers.get('content-type') ?? '', /^text\/html/)
    assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'/)
    assert.doesNotMatch(text, /<script/i)
    for (const [, operation] of operations) assert.ok(text.includes(`<code>${operation.path}</code>`), operation.path)
  })
})
