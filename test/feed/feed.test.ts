import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { ADMIN_KEY, type Harness, hello, type Json, startHarness } from '../harness.ts'
import { managing } from '../management/manage.ts'
import { killingProxy, listening, numbers, objectStore, runFeed } from './run-feed.ts'

const CALLS = 60

describe('the feed', { concurrency: false }, () => {
  let harness: Harness
  let folder: string
  const manage = managing(() => harness)
  const headers = { authorization: `Bearer ${ADMIN_KEY}` }
  const feed = async (query: string) => {
    const response = await fetch(`${harness.url}/requests/feed?${query}`, { headers })
    const text = await response.text()
    if (!response.ok) return { status: response.status, text, rows: [] }
    const lines = text.split('\n').filter((line) => line !== '')
    return { status: 200, text, rows: lines.map((line) => JSON.parse(line) as Json) }
  }
  const logged = async () =>
    (await (await fetch(`${harness.url}/requests/export`, { headers })).text())
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Json)

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'switchyard-feed-'))
    harness = await startHarness()
    for (let call = 0; call < CALLS; call += 6) {
      await Promise.all(Array.from({ length: 6 }, () => harness.chat(hello('gpt-4o-mini'))))
    }
  })
  after(async () => {
    await harness?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  test('page by page it has every closed row once, as the export shows it', async () => {
    const found: Json[] = []
    for (let after = ''; ; ) {
      const { rows } = await feed(`limit=7${after}`)
      if (rows.length === 0) break
      found.push(...rows)
      after = `&after=${rows.at(-1)?.cursor}`
    }
    const byId = (rows: Json[]) => rows.toSorted((a, b) => (a.id < b.id ? -1 : 1))
    assert.equal(found.length, CALLS)
    assert.deepEqual(byId(found.map(({ cursor, ...row }) => row)), byId(await logged()))
  })

  test('a cursor that the log cannot go on from is refused', async () => {
    for (const [after, words] of [
      ['999999.0', /ahead of the log/],
      ['x', /after/],
    ] as const) {
      const { status, text } = await feed(`after=${after}`)
      assert.equal(status, 400)
      assert.match(text, words)
    }
  })

  test('it is for access to all workspaces', async () => {
    const narrow = { name: 'narrow', role: 'viewer', workspaces: ['default'] }
    const { value } = (await manage('POST', '/admin-keys', narrow)).json
    const response = await fetch(`${harness.url}/requests/feed`, { headers: { authorization: `Bearer ${value}` } })
    assert.equal(response.status, 403)
  })

  const run = (args: string[], url = harness.url, environment = {}, onStart?: (kill: () => void) => void) =>
    runFeed(args, url, environment, onStart)

  const ids = async () => (await logged()).map(({ id }) => id).sort()

  test('files: killed at any answer and run again, their rows are those of the log', async () => {
    const pick = numbers(35)
    const rows = join(folder, 'rows')
    const { server: between, state } = killingProxy(harness.url, pick)
    const url = await listening(between)
    for (let round = 0; round < 5; round += 1) {
      state.countdown = 1 + pick(3)
      await run(['--to', rows], url, {}, (way) => (state.kill = way))
    }
    const { code, said } = await run(['--to', rows], url)
    between.close()
    assert.equal(code, 0, said)
    const files = readdirSync(rows).filter((name) => name.endsWith('.ndjson'))
    const found = files.flatMap((name) => readFileSync(join(rows, name), 'utf8').trimEnd().split('\n'))
    assert.deepEqual([...new Set(found.map((line) => JSON.parse(line).id))].sort(), await ids())
    assert.match((await run(['--to', rows], url).catch(() => ({ said: '' }))).said, /cannot reach/)
    assert.match((await run(['--to', rows])).said, /No new rows/)
  })

  test('a webhook: killed at any event and run again, its events are the rows, signed by their ids', async () => {
    const pick = numbers(7)
    const file = join(folder, 'cursor-of-webhook')
    const events: string[] = []
    let kill = () => {}
    let countdown = 0
    const receiver = createServer(async (request, response) => {
      const body = JSON.parse(Buffer.concat(await request.toArray()).toString()) as Json
      assert.equal(body.data.id, request.headers['webhook-id'])
      assert.match(String(request.headers['webhook-signature']), /^v1,/)
      events.push(body.data.id)
      countdown -= 1
      if (countdown === 0) kill()
      response.end()
    })
    const url = await listening(receiver)
    const args = ['--to', url, '--cursor-file', file]
    const secret = { FEED_WEBHOOK_SECRET: `whsec_${Buffer.from('secret').toString('base64')}` }
    for (let round = 0; round < 3; round += 1) {
      countdown = 1 + pick(20)
      await run(args, harness.url, secret, (way) => (kill = way))
    }
    const { code, said } = await run(args, harness.url, secret)
    receiver.close()
    assert.equal(code, 0, said)
    assert.deepEqual([...new Set(events)].sort(), await ids())
  })

  test('an S3 store gets rows and cursor, signed, and the next run goes on from there', async () => {
    const { server: store, objects, settings: settingsFor } = objectStore()
    const settings = settingsFor(await listening(store))
    const first = await run(['--to', 's3://bills/here'], harness.url, settings)
    const second = await run(['--to', 's3://bills/here'], harness.url, settings)
    store.close()
    assert.match(first.said, /60 rows delivered/)
    assert.match(second.said, /No new rows/)
    assert.ok(objects.has('/bills/here/cursor'))
    const rows =
      objects.get('/bills/here/requests-000000000000000.000000000.ndjson')?.toString().trimEnd().split('\n') ?? []
    assert.deepEqual(rows.map((line) => JSON.parse(line).id).sort(), await ids())
  })
})
