import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { cliOf } from '../cli/run-cli.ts'
import { ADMIN_KEY, type Answered, type Harness, hello, type Json, KEY, startHarness } from '../harness.ts'
import { managing } from '../management/manage.ts'

const CONFIG = `
registry:
  - { provider: openai, model: gpt-sim-echo, input_per_mtok: "1.25", output_per_mtok: "10" }
  - { provider: openai, model: gpt-sim-after-error, input_per_mtok: "1.25", output_per_mtok: "10" }
  - { provider: openai, model: text-embedding-sim-echo, mode: embedding, input_per_mtok: "0.02", output_per_mtok: "0" }
`
const SESSION = '0b7e9a52-1111-4111-8111-000000000002'

let harness: Harness
before(async () => {
  harness = await startHarness({ config: CONFIG, environment: { STREAMING: 'on' } })
})
after(() => harness.stop())

const manage = managing(() => harness)
const idOf = (answer: Answered) => answer.headers.get('x-gateway-request-id') ?? ''

/** Who the row of a call says it was for. */
async function logged(answer: Answered): Promise<unknown[]> {
  const { json } = await manage('GET', `/requests/${idOf(answer)}`)
  return [json.user, json.session, json.tags]
}

describe('who a call was for', () => {
  for (const [name, fields, headers, expected] of [
    ['nothing said', {}, {}, [null, null, {}]],
    [
      'user, tags and the header of ours',
      { user: 'ada', metadata: { team: 'search', n: 1 } },
      { 'x-gateway-session': 'run-7' },
      ['ada', 'run-7', { team: 'search' }],
    ],
    ['the newer name of the user wins', { user: 'old', safety_identifier: 'new' }, {}, ['new', null, {}]],
    ["a coding agent's header", {}, { 'x-claude-code-session-id': SESSION }, [null, SESSION, {}]],
    ['another agent, by session', {}, { session_id: 's-1', 'thread-id': 't-1' }, [null, 's-1', {}]],
    ['a thread alone is no session', {}, { 'thread-id': 't-1' }, [null, null, {}]],
    ['ours before theirs', {}, { 'x-session-id': 'b', 'session-id': 'c', 'x-gateway-session': 'a' }, [null, 'a', {}]],
    [
      'a session within the user, a header before it',
      { user: `user_ab_account_cd_session_${SESSION}` },
      {},
      ['user_ab_account_cd', SESSION, {}],
    ],
    [
      'a header is before the session within the user',
      { user: `user_ab_account_cd_session_${SESSION}` },
      { 'x-session-id': 'x' },
      ['user_ab_account_cd', 'x', {}],
    ],
    [
      'what looks like a secret is not stored',
      { user: KEY, metadata: { token: 'sk-0123456789abcdef', team: 'a' } },
      { 'x-gateway-session': 'Bearer abc', 'x-session-id': 'next' },
      [null, 'next', { team: 'a' }],
    ],
  ] as const) {
    test(name, async () => {
      const answer = await harness.chat({ ...hello('gpt-sim-echo'), ...fields }, headers)
      assert.equal(answer.status, 200)
      assert.deepEqual(await logged(answer), expected)
    })
  }

  test('of a body that a worker reads', async () => {
    const messages = [{ role: 'user', content: 'x'.repeat(200_000) }]
    const metadata = { team: 'search' }
    const answer = await harness.chat({ model: 'gpt-sim-echo', messages, user: 'large', metadata })
    assert.equal(answer.status, 200)
    assert.deepEqual(await logged(answer), ['large', null, { team: 'search' }])
  })

  test('of embeddings, and of a call that is refused', async () => {
    const embedded = await harness.embed(
      { model: 'text-embedding-sim-echo', input: 'hello', user: 'ada' },
      { 'x-gateway-session': 'run-8' },
    )
    assert.equal(embedded.status, 200)
    assert.deepEqual(await logged(embedded), ['ada', 'run-8', {}])
    const unreadable = await harness.chat({ model: 'gpt-sim-echo' }, { 'x-gateway-session': 'run-8' })
    assert.equal(unreadable.status, 400)
    assert.deepEqual(await logged(unreadable), [null, 'run-8', {}])
    const unknown = await harness.chat({ ...hello('nothing'), user: 'ada' }, { 'x-gateway-session': 'run-8' })
    assert.equal(unknown.status, 404)
    assert.deepEqual(await logged(unknown), ['ada', 'run-8', {}])
  })
})

describe('asked for', () => {
  const session = { 'x-gateway-session': 'priced' }
  before(async () => {
    for (const user of ['grace', 'grace', 'joan']) {
      const body = { ...hello('gpt-sim-echo'), user, metadata: { team: 'a:b', other: 'x' } }
      assert.equal((await harness.chat(body, session)).status, 200)
    }
    const embedded = { model: 'text-embedding-sim-echo', input: 'hello', user: 'joan' }
    assert.equal((await harness.embed(embedded, session)).status, 200)
  })

  for (const [query, count] of [
    ['session=priced', 4],
    ['session=priced&user=grace', 2],
    ['session=priced&endpoint=embeddings', 1],
    ['user=joan', 2],
    ['user=joan&status=ok&endpoint=chat', 1],
    ['tag=team:a:b', 3],
    ['tag=team:a:', 0],
    ['session=nobody', 0],
  ] as const) {
    test(`the list: ${query}`, async () => {
      const { status, json } = await manage('GET', `/requests?${query}`)
      assert.equal(status, 200)
      assert.equal(json.data.length, count)
    })
  }

  test('the sums by session, user and endpoint agree with the rows, to the last digit', async () => {
    const rows = (await harness.rows()).filter(({ session: of }) => of === 'priced')
    const picodollars = rows.reduce((sum, row) => sum + BigInt(row['cost_picodollars'] as number), 0n)
    assert.ok(picodollars > 0n)
    const usage = async (query: string) => (await manage('GET', `/usage?${query}`)).json
    const one = (await usage('session=priced')).total
    assert.deepEqual([one.requests, BigInt(Math.round(Number(one.cost_usd) * 1e12))], [4, picodollars])
    const reported = (reply: Json) => reply.data.map((row: Json) => [row.group, row.requests])
    assert.deepEqual(reported(await usage('session=priced&group_by=user')), [
      ['grace', 2],
      ['joan', 2],
    ])
    assert.deepEqual(reported(await usage('session=priced&group_by=endpoint')), [
      ['chat', 3],
      ['embeddings', 1],
    ])
    const bySession = await usage('group_by=session')
    const priced = bySession.data.find((row: Json) => row.group === 'priced')
    assert.deepEqual([priced.requests, priced.cost_usd, priced.is_rest], [4, one.cost_usd, false])
    assert.equal(bySession.total.requests, (await usage('')).total.requests)
    assert.equal((await usage('tag=team:a:b')).total.requests, 3)
    const endpoints = await usage('group_by=endpoint')
    assert.deepEqual(
      endpoints.data.map((row: Json) => row.group),
      ['chat', 'embeddings'],
    )
    assert.equal((await usage('endpoint=embeddings')).total.requests, 2)
  })

  test('a long range only of one user or session', async () => {
    const long = 'from=2020-01-01'
    const { status, json } = await manage('GET', `/usage?group_by=session&${long}`)
    assert.equal(status, 400)
    assert.match(json.error.message, /at most 93 days/)
    assert.equal((await manage('GET', `/usage?tag=a:b&${long}`)).status, 400)
    assert.equal((await manage('GET', `/usage?session=priced&${long}`)).json.total.requests, 4)
    assert.equal((await manage('GET', '/requests?tag=team')).status, 400)
  })

  test('the export and the command line have them', async () => {
    const response = await fetch(`${harness.url}/requests/export?format=csv&user=grace`, {
      headers: { authorization: `Bearer ${ADMIN_KEY}` },
    })
    const [head = '', line = ''] = (await response.text()).split('\r\n')
    assert.match(head, /,user,session,tags,/)
    assert.ok(line.includes(`,grace,priced,"{""team"":""a:b"",""other"":""x""}",`), line)
    const cli = cliOf(() => harness.url)
    const listed = await cli('requests list --session priced --json')
    assert.equal(listed.json().data.length, 4)
    const usage = await cli('usage --by user --session priced')
    assert.match(usage.stdout, /grace\s+2\s/)
  })
})

describe('a session as a tree', () => {
  const session = { 'x-claude-code-session-id': 'tree' }
  const agent = (name: string, parent?: string) => ({
    ...session,
    'x-claude-code-agent-id': name,
    ...(parent === undefined ? {} : { 'x-claude-code-parent-agent-id': parent }),
  })
  before(async () => {
    const calls = [session, agent('look'), agent('look'), agent('deeper', 'look'), agent('write')]
    for (const headers of calls) assert.equal((await harness.chat(hello('gpt-sim-echo'), headers)).status, 200)
    assert.equal((await harness.chat(hello('gpt-sim-400'), agent('write'))).status, 400)
  })

  const shown = ({ agent, parent, depth, kinds, requests, errors, running }: Json) => {
    return [agent, parent, depth, kinds, requests, errors, running]
  }

  test('has every agent below the one that started it', async () => {
    const { status, json } = await manage('GET', '/usage/sessions/tree')
    assert.equal(status, 200)
    assert.deepEqual(json.agents.map(shown), [
      [null, null, 0, ['main'], 1, 0, 0],
      ['look', 'tree', 1, ['subagent'], 2, 0, 0],
      ['deeper', 'look', 2, ['subagent'], 1, 0, 0],
      ['write', 'tree', 1, ['subagent'], 2, 1, 0],
    ])
    assert.deepEqual([json.requests, json.running, json.is_cut], [6, 0, false])
    const [main, look] = json.agents
    assert.deepEqual(main.models, ['openai/gpt-sim-echo'])
    assert.deepEqual(look.with_children.agents, 2)
    assert.equal(look.with_children.requests, 3)
  })

  test('adds up to what the usage of the session says', async () => {
    const { json } = await manage('GET', '/usage/sessions/tree')
    const usage = await manage('GET', '/usage?session=tree')
    assert.equal(json.cost_usd, usage.json.total.cost_usd)
    assert.equal(json.agents[0].with_children.cost_usd, json.cost_usd)
    assert.notEqual(json.cost_usd, '0')
  })

  test('has a call that runs', async () => {
    const hanging = new AbortController()
    const ended = fetch(`${harness.url}/v1/chat/completions`, {
      method: 'POST',
      signal: hanging.signal,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${KEY}`, ...agent('slow') },
      body: JSON.stringify(hello('gpt-sim-hang')),
    }).catch(() => {})
    let found: Json | undefined
    do found = (await manage('GET', '/usage/sessions/tree')).json.agents.find(({ agent }: Json) => agent === 'slow')
    while (found === undefined)
    assert.deepEqual(shown(found), ['slow', 'tree', 1, ['subagent'], 1, 0, 1])
    hanging.abort()
    await ended
  })

  test('of a session that is not there is 404, and of another workspace too', async () => {
    const { status, json } = await manage('GET', '/usage/sessions/none')
    assert.equal(status, 404)
    assert.match(json.error.message, /No call of the session 'none' is in the log of the workspace 'default'/)
    assert.equal((await manage('GET', '/usage/sessions/tree?workspace=other')).status, 404)
  })

  test('of agents whose sessions start sessions: the root is found again from the rows', async () => {
    const started = (session: string, parent: string) => ({ 'x-session-id': session, 'x-parent-session-id': parent })
    // As if each call came to another gateway: no two share a name that is remembered.
    await harness.chat(hello('gpt-sim-echo'), { 'x-session-id': 'root' })
    await harness.chat(hello('gpt-sim-echo'), { ...started('leaf', 'twig'), 'x-gateway-session': 'twig' })
    await harness.chat(hello('gpt-sim-echo'), { ...started('twig', 'root'), 'x-gateway-session': 'root' })
    const { json } = await manage('GET', '/usage/sessions/root')
    assert.deepEqual(
      json.agents.map(({ agent, depth }: Json) => [agent, depth]),
      [
        [null, 0],
        ['twig', 1],
        ['leaf', 2],
      ],
    )
  })

  test('says what streams cost that were cut and asked for again', async () => {
    const stream = async (model: string) => {
      const response = await fetch(`${harness.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${KEY}`, 'x-gateway-session': 'cuts' },
        body: JSON.stringify({ ...hello(model), stream: true }),
      })
      await response.text()
      const { json } = await manage('GET', `/requests/${response.headers.get('x-gateway-request-id')}`)
      return Math.round(Number(json.cost_usd) * 1e12)
    }
    const cut = [await stream('gpt-sim-after-error'), await stream('gpt-sim-after-error')]
    const whole = await stream('gpt-sim-echo')
    const [main] = (await manage('GET', '/usage/sessions/cuts')).json.agents
    assert.deepEqual([main.requests, main.cut_streams], [3, 2])
    assert.ok(cut.every((cost) => cost > 0))
    assert.equal(Math.round(Number(main.cut_usd) * 1e12), (cut[0] ?? 0) + (cut[1] ?? 0))
    assert.equal(Math.round(Number(main.cost_usd) * 1e12), (cut[0] ?? 0) + (cut[1] ?? 0) + whole)
    const { stdout } = await cliOf(() => harness.url)('usage session cuts')
    assert.match(stdout, /cut_streams +cut_usd/)
  })

  test('and on the command line', async () => {
    const { stdout } = await cliOf(() => harness.url)('usage session tree')
    assert.match(stdout, /^\(main\)/m)
    assert.match(stdout, /^· look .*subagent/m)
    assert.match(stdout, /^· · deeper /m)
  })

  for (const [query, count] of [
    ['session=tree&agent=look', 2],
    ['session=tree&agent=', 1],
    ['kind=subagent&session=tree&status=ok', 4],
  ] as const) {
    test(`the list: ${query}`, async () => {
      const { json } = await manage('GET', `/requests?${query}`)
      assert.equal(json.data.filter(({ agent }: Json) => agent !== 'slow').length, count)
    })
  }
})
