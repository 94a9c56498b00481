import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Harness, type Json, startHarness } from '../harness.ts'
import { managing } from './manage.ts'

let harness: Harness
const manage = managing(() => harness)
before(async () => {
  harness = await startHarness()
  for (const name of ['routes-team', 'sales']) await manage('POST', '/workspaces', { name })
  await manage('POST', '/keys', { name: 'first' })
  await manage('PATCH', '/workspaces/sales', { description: 'the sales team' })
})
after(() => harness.stop())

const resources = async (query: string) =>
  (await manage('GET', `/audit?${query}`)).json.data.map((entry: Json) => entry.resource)

describe('GET /audit', () => {
  test('of one thing, newest first', async () => {
    const { json } = await manage('GET', '/audit?resource=workspaces/sales')
    assert.deepEqual(
      json.data.map((entry: Json) => entry.action),
      ['workspaces.update', 'workspaces.create'],
    )
  })

  test('of all things of a kind, page by page', async () => {
    const kind = encodeURIComponent('workspaces/')
    assert.deepEqual(await resources(`resource=${kind}`), [
      'workspaces/sales',
      'workspaces/sales',
      'workspaces/routes-team',
    ])
    const first = (await manage('GET', `/audit?resource=${kind}&limit=2`)).json
    assert.deepEqual(await resources(`resource=${kind}&cursor=${first.next_cursor}`), ['workspaces/routes-team'])
    assert.deepEqual(await resources('resource=routes/'), [])
    assert.deepEqual(await resources('resource=%25/'), [])
  })
})

describe('GET /audit?workspace=', () => {
  test('keeps the same name in two workspaces apart', async () => {
    const chain = [{ provider: 'openai', model: 'gpt-5.4-mini' }]
    for (const workspace of ['sales', 'routes-team']) {
      await manage('PUT', `/routes/twice?workspace=${workspace}`, { chain })
    }
    const { json } = await manage('GET', '/audit?resource=routes/twice&workspace=sales')
    assert.deepEqual(
      json.data.map((entry: Json) => [entry.action, entry.workspace]),
      [['routes.put', 'sales']],
    )
  })
})

describe('GET /audit/{id}', () => {
  test('is the entry of the list', async () => {
    const [entry] = (await manage('GET', '/audit?resource=workspaces/sales')).json.data
    assert.deepEqual([entry.before.description, entry.after.description], [null, 'the sales team'])
    assert.deepEqual((await manage('GET', `/audit/${entry.id}`)).json, entry)
  })

  test('is 404 for one that is not there', async () => {
    const { status, json } = await manage('GET', '/audit/01nothing')
    assert.deepEqual([status, json.error.code], [404, 'not_found'])
  })
})
