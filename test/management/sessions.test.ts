import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { ADMIN_KEY, type Harness, type Json, KEY, startHarness, until } from '../harness.ts'
import { startPostgres } from '../postgres.ts'
import { ENGINES } from '../test-store.ts'
import { auditOf, managing } from './manage.ts'

const DASHBOARD = { 'x-switchyard-dashboard': '1' }
const SECRETS_KEY = 'the secrets key of this test'

const postgres = await startPostgres()
after(() => postgres.stop())

interface Asked {
  status: number
  headers: Headers
  json: Json
}

/** As a browser would, with no key of its own. */
async function ask(
  { url }: Harness,
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: unknown,
): Promise<Asked> {
  const response = await fetch(url + path, {
    method,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, json: text === '' ? null : JSON.parse(text) }
}

const signIn = (harness: Harness, key = ADMIN_KEY, headers: Record<string, string> = {}) =>
  ask(harness, 'POST', '/sessions', headers, { key })

const cookieOf = ({ headers }: Asked) => headers.get('set-cookie')?.split(';', 1)[0] ?? ''

async function newCookie(harness: Harness, key = ADMIN_KEY): Promise<{ cookie: string; id: string }> {
  const answer = await signIn(harness, key)
  assert.equal(answer.status, 201)
  return { cookie: cookieOf(answer), id: answer.json.id }
}

const works = async (harness: Harness, cookie: string) =>
  (await ask(harness, 'GET', '/sessions/current', { cookie })).status === 200

for (const engine of ENGINES) {
  describe(engine, () => {
    let harness: Harness
    let environment: Record<string, string> = { SECRETS_KEY }
    before(async () => {
      if (engine === 'postgres') environment = { SECRETS_KEY, DATABASE_URL: await postgres.createDatabase() }
      harness = await startHarness({ environment })
    })
    after(() => harness.stop())
    const manage = managing(() => harness)
    const adminKeyId = async (): Promise<string> => (await manage('GET', '/sessions/current')).json.key_id

    describe('signing in', () => {
      test('answers 201 and sets a cookie that works', async () => {
        const answer = await signIn(harness)
        assert.equal(answer.status, 201)
        const { id, created_at, expires_at, ...rest } = answer.json
        assert.deepEqual(rest, {
          key_id: await adminKeyId(),
          key_name: 'ADMIN_KEY',
          person_id: null,
          person_name: null,
        })
        assert.equal(Date.parse(expires_at) - Date.parse(created_at), 24 * 3_600_000)
        assert.match(
          answer.headers.get('set-cookie') ?? '',
          /^switchyard_session=[\w.-]+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=86400$/,
        )
        const current = await ask(harness, 'GET', '/sessions/current', { cookie: cookieOf(answer) })
        const { role, workspaces, operations, ...known } = current.json
        assert.deepEqual(known, { session_id: id, ...rest, expires_at })
        assert.deepEqual([role, workspaces, operations.includes('config.apply')], ['admin', null, true])
        assert.equal(current.headers.get('cache-control'), 'no-store')
      })

      test('makes the cookie secure behind a proxy with TLS', async () => {
        const attributes = async (proto: string) =>
          (await signIn(harness, ADMIN_KEY, { 'x-forwarded-proto': proto })).headers.get('set-cookie') ?? ''
        assert.match(await attributes('https'), /; Max-Age=86400; Secure$/)
        assert.match(await attributes('https, http'), /; Secure$/)
        assert.doesNotMatch(await attributes('http'), /Secure/)
      })

      test('takes a key that was pasted with blanks around it', async () => {
        assert.equal((await signIn(harness, ` ${ADMIN_KEY}\n`)).status, 201)
      })

      test('ends with a key that expires sooner', async () => {
        const expiresAt = new Date(Date.now() + 3_600_000).toISOString()
        const { value } = (await manage('POST', '/admin-keys', { name: 'for-an-hour', expires_at: expiresAt })).json
        const answer = await signIn(harness, value)
        assert.equal(answer.json.expires_at, expiresAt)
        assert.match(answer.headers.get('set-cookie') ?? '', /Max-Age=3[56]\d\d;?/)
      })

      const refused: [what: string, key: string, status: number, code: string][] = [
        ['an unknown key', 'gw_admin_nothing', 401, 'unauthorized'],
        ['a gateway key', KEY, 403, 'forbidden'],
      ]
      for (const [what, key, status, code] of refused) {
        test(`refuses ${what} without saying more`, async () => {
          const answer = await signIn(harness, key)
          assert.deepEqual([answer.status, answer.json.error.code], [status, code])
          assert.equal(answer.headers.get('set-cookie'), null)
          assert.ok(!JSON.stringify(answer.json).includes(key))
        })
      }

      test('takes JSON only, so that no form of another site can do it', async () => {
        const body = JSON.stringify({ key: ADMIN_KEY })
        for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
          const answer = await ask(harness, 'POST', '/sessions', { 'content-type': type }, body)
          assert.deepEqual([answer.status, answer.headers.get('set-cookie')], [415, null], type)
        }
        const untyped = await fetch(`${harness.url}/sessions`, { method: 'POST', body: Buffer.from(body) })
        assert.equal(untyped.status, 415)
      })

      test('refuses a body that is something else', async () => {
        for (const body of [{}, { key: 7 }, { key: '' }, { key: ADMIN_KEY, more: 1 }, '{']) {
          assert.equal((await ask(harness, 'POST', '/sessions', {}, body)).status, 400, JSON.stringify(body))
        }
      })

      test('is written to the audit list, without the secret', async () => {
        const answer = await signIn(harness)
        const [entry, ...none] = await auditOf(manage, `sessions/${answer.json.id}`)
        assert.deepEqual(none, [])
        assert.deepEqual([entry.action, entry.actor, entry.before], ['sessions.create', await adminKeyId(), null])
        assert.deepEqual(entry.after, answer.json)
        const [, secret = '?', signature = '?'] = cookieOf(answer).split('.')
        const rows = await harness.gateway.store.db.selectFrom('sessions').selectAll().execute()
        for (const part of [secret, signature]) assert.ok(!JSON.stringify([entry, rows]).includes(part))
      })

      test('does not make any gateway read its snapshot anew', async () => {
        const version = () =>
          harness.gateway.store.db.selectFrom('settings').selectAll().where('name', '=', 'control').execute()
        const before = await version()
        const { id } = await newCookie(harness)
        await manage('DELETE', `/sessions/${id}`)
        assert.deepEqual(await version(), before)
      })
    })

    describe('a session', () => {
      test('may do what its key may, and the audit list names the key', async () => {
        const { cookie } = await newCookie(harness)
        const created = await ask(harness, 'POST', '/keys', { cookie, ...DASHBOARD }, { name: `by-cookie-${engine}` })
        assert.equal(created.status, 201)
        const [entry] = await auditOf(manage, `keys/${created.json.id}`)
        assert.deepEqual([entry.actor, entry.actor_name], [await adminKeyId(), 'ADMIN_KEY'])
        const exported = await fetch(`${harness.url}/requests/export?format=csv`, { headers: { cookie } })
        assert.equal(exported.status, 200)
      })

      test('is refused when its cookie was tampered with', async () => {
        const { cookie, id } = await newCookie(harness)
        const other = await newCookie(harness)
        const [, secret = '', signature = ''] = cookie.split('.')
        const [, otherSecret = '', otherSignature = ''] = other.cookie.split('.')
        for (const forged of [
          `${id}.${secret}`,
          `${id}.${secret}.`,
          `${id}.${otherSecret}.${signature}`,
          `${id}.${otherSecret}.${otherSignature}`,
          `${other.id}.${secret}.${signature}`,
          `${id}.${secret}.${'A'.repeat(43)}`,
          `${id}..${signature}`,
          '..',
          'x',
        ]) {
          const answer = await ask(harness, 'GET', '/keys', { cookie: `switchyard_session=${forged}` })
          assert.deepEqual([answer.status, answer.json.error.code], [401, 'unauthorized'], forged)
        }
        assert.ok(await works(harness, cookie))
      })

      test('is refused when only the database says that its secret is another', async () => {
        const { cookie, id } = await newCookie(harness)
        const { db } = harness.gateway.store
        await db.updateTable('sessions').set({ secret_hash: 'another' }).where('id', '=', id).execute()
        assert.ok(!(await works(harness, cookie)))
      })

      test('is found beside a cookie of the same name that somebody else has set', async () => {
        const { cookie } = await newCookie(harness)
        assert.ok(await works(harness, `theme=dark; switchyard_session=forged; ${cookie}; other=1`))
      })

      test('ends when it expires', async () => {
        const { cookie, id } = await newCookie(harness)
        const { db } = harness.gateway.store
        await db
          .updateTable('sessions')
          .set({ expires_at: Date.now() - 1 })
          .where('id', '=', id)
          .execute()
        assert.ok(!(await works(harness, cookie)))
        const { data } = (await manage('GET', '/sessions')).json
        assert.ok(data.every((session: Json) => session.id !== id))
      })

      test('ends with its admin key', async () => {
        const { id, value } = (await manage('POST', '/admin-keys', { name: 'leaver' })).json
        const { cookie } = await newCookie(harness, value)
        assert.ok(await works(harness, cookie))
        await manage('DELETE', `/admin-keys/${id}`)
        assert.ok(!(await works(harness, cookie)))
        const { data } = (await manage('GET', '/sessions')).json
        assert.ok(data.every((session: Json) => session.key_id !== id))
      })

      test('ends when it is revoked, once', async () => {
        const { cookie, id } = await newCookie(harness)
        assert.equal((await manage('DELETE', `/sessions/${id}`)).status, 204)
        assert.ok(!(await works(harness, cookie)))
        assert.equal((await manage('DELETE', `/sessions/${id}`)).status, 404)
        const actions = (await auditOf(manage, `sessions/${id}`)).map((entry: Json) => entry.action)
        assert.deepEqual(actions, ['sessions.revoke', 'sessions.create'])
      })

      test('ends when its owner signs out, and the cookie is cleared', async () => {
        const { cookie, id } = await newCookie(harness)
        const answer = await ask(harness, 'DELETE', '/sessions/current', { cookie, ...DASHBOARD })
        assert.equal(answer.status, 204)
        assert.equal(
          answer.headers.get('set-cookie'),
          'switchyard_session=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0',
        )
        assert.ok(!(await works(harness, cookie)))
        const [entry] = await auditOf(manage, `sessions/${id}`)
        assert.deepEqual([entry.action, entry.actor, entry.after], ['sessions.end', await adminKeyId(), null])
      })

      test('signing out is 204 also without a session', async () => {
        for (const headers of [{}, { cookie: 'switchyard_session=x.y.z', ...DASHBOARD }]) {
          const answer = await ask(harness, 'DELETE', '/sessions/current', headers)
          assert.equal(answer.status, 204)
          assert.match(answer.headers.get('set-cookie') ?? '', /^switchyard_session=;.*Max-Age=0/)
        }
      })
    })

    test('the list pages, newest first, and says which one asks', async () => {
      const mine = await newCookie(harness)
      const theirs = await newCookie(harness)
      const list = (query: string) => ask(harness, 'GET', `/sessions?${query}`, { cookie: mine.cookie })
      const first = (await list('limit=1')).json
      const second = (await list(`limit=1&cursor=${first.next_cursor}`)).json
      assert.deepEqual(
        [...first.data, ...second.data].map(({ id, current }: Json) => [id, current]),
        [
          [theirs.id, false],
          [mine.id, true],
        ],
      )
      const byBearer = (await manage('GET', '/sessions')).json.data
      assert.ok(byBearer.every(({ current }: Json) => !current))
    })

    test('with a bearer key there is no session, and access ends with the key', async () => {
      const { session_id, expires_at } = (await manage('GET', '/sessions/current')).json
      assert.deepEqual([session_id, expires_at], [null, null])
      const expiresAt = '2999-01-01T00:00:00.000Z'
      const { value } = (await manage('POST', '/admin-keys', { name: 'long', expires_at: expiresAt })).json
      const other = await ask(harness, 'GET', '/sessions/current', { authorization: `Bearer ${value}` })
      assert.equal(other.json.expires_at, expiresAt)
    })

    if (engine === 'postgres') {
      test('on another gateway of the same database a session works, and once revoked is refused at once', async () => {
        const other = await startHarness({ environment })
        try {
          const { cookie, id } = await newCookie(harness)
          assert.ok(await works(other, cookie))
          await manage('DELETE', `/sessions/${id}`)
          assert.ok(!(await works(other, cookie)))
        } finally {
          await other.stop()
        }
      })
    } else {
      test('a session outlives a restart, and a change of the secrets key as long as the old one verifies', async () => {
        const { cookie } = await newCookie(harness)
        const { folder } = harness
        await harness.gateway.stop()
        await harness.simulator.close()
        harness = await startHarness({ folder, environment: { SECRETS_KEY: `a new secrets key,${SECRETS_KEY}` } })
        assert.ok(await works(harness, cookie))
        const renewed = await newCookie(harness)
        await harness.gateway.stop()
        await harness.simulator.close()
        harness = await startHarness({ folder, environment: { SECRETS_KEY: 'a new secrets key' } })
        assert.deepEqual([await works(harness, renewed.cookie), await works(harness, cookie)], [true, false])
        after(() => rmSync(folder, { recursive: true, force: true }))
      })
    }
  })
}

describe('requests that nobody meant', () => {
  let harness: Harness
  let cookie: string
  before(async () => {
    harness = await startHarness()
    cookie = (await newCookie(harness)).cookie
  })
  after(() => harness.stop())

  const site = (value: string) => ({ 'sec-fetch-site': value })
  const matrix: [method: string, headers: Record<string, string>, isLetThrough: boolean][] = [
    ['GET', {}, true],
    ['GET', site('same-origin'), true],
    ['GET', site('none'), true],
    ['GET', site('same-site'), false],
    ['GET', site('cross-site'), false],
    ['GET', { ...site('cross-site'), ...DASHBOARD }, false],
    ['HEAD', site('same-origin'), true],
    ['HEAD', site('cross-site'), false],
    ['POST', {}, false],
    ['POST', site('same-origin'), false],
    ['POST', DASHBOARD, true],
    ['POST', { 'x-switchyard-dashboard': 'true' }, false],
    ['POST', { ...DASHBOARD, ...site('same-origin') }, true],
    ['POST', { ...DASHBOARD, ...site('none') }, false],
    ['POST', { ...DASHBOARD, ...site('same-site') }, false],
    ['POST', { ...DASHBOARD, ...site('cross-site') }, false],
    ['PUT', site('same-origin'), false],
    ['PUT', { ...DASHBOARD, ...site('same-origin') }, true],
    ['PATCH', site('same-origin'), false],
    ['PATCH', { ...DASHBOARD, ...site('same-origin') }, true],
    ['DELETE', site('same-origin'), false],
    ['DELETE', { ...DASHBOARD, ...site('same-origin') }, true],
  ]
  const paths: Record<string, string> = { PUT: '/routes/none', PATCH: '/keys/none', DELETE: '/keys/none' }
  for (const [method, headers, isLetThrough] of matrix) {
    const words = Object.entries(headers).map((pair) => pair.join(': '))
    test(`${method} by cookie with ${words.join(', ') || 'nothing else'} is ${isLetThrough ? 'let through' : '403'}`, async () => {
      const path = paths[method] ?? '/keys'
      const answer = await ask(
        harness,
        method,
        path,
        { cookie, ...headers },
        method === 'GET' || method === 'HEAD' ? undefined : {},
      )
      assert.equal(answer.status === 403, !isLetThrough)
      // What is let through gets as far as its own mistakes.
      assert.ok([200, 400, 403, 404].includes(answer.status), String(answer.status))
      if (!isLetThrough && method !== 'HEAD') assert.equal(answer.json.error.code, 'forbidden')
    })
  }

  test('signing in is refused from another site', async () => {
    for (const value of ['cross-site', 'same-site', 'none']) {
      const answer = await signIn(harness, ADMIN_KEY, site(value))
      assert.deepEqual([answer.status, answer.headers.get('set-cookie')], [403, null], value)
    }
    assert.equal((await signIn(harness, ADMIN_KEY, site('same-origin'))).status, 201)
  })

  test('signing somebody out is refused', async () => {
    for (const headers of [{}, site('same-origin'), { ...DASHBOARD, ...site('cross-site') }]) {
      assert.equal((await ask(harness, 'DELETE', '/sessions/current', { cookie, ...headers })).status, 403)
    }
    assert.ok(await works(harness, cookie))
  })

  test('no preflight of another site is answered with a permission', async () => {
    for (const path of ['/keys', '/sessions', '/sessions/current', '/v1/chat/completions']) {
      const response = await fetch(harness.url + path, {
        method: 'OPTIONS',
        headers: {
          origin: 'https://elsewhere.example',
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'x-switchyard-dashboard',
        },
      })
      assert.equal(response.status, 405)
      assert.deepEqual(
        [...response.headers.keys()].filter((name) => name.startsWith('access-control')),
        [],
      )
    }
  })

  test('a bearer key wins over the cookie, also a wrong one, and needs no header', async () => {
    const change = (authorization: string, headers = {}) =>
      ask(harness, 'POST', '/keys', { authorization, cookie, ...headers }, {})
    assert.equal((await change(`Bearer ${ADMIN_KEY}`)).status, 400)
    assert.equal((await change(`Bearer ${ADMIN_KEY}`, site('cross-site'))).status, 400)
    for (const wrong of ['Bearer gw_admin_wrong', 'Bearer', 'bearer  ']) {
      assert.equal((await change(wrong, DASHBOARD)).status, 401, wrong)
    }
    assert.equal((await change(`Bearer ${KEY}`, DASHBOARD)).status, 403)
    assert.equal((await change('Basic b3BzOnNlc2FtZQ==', DASHBOARD)).status, 400, 'the password of a proxy')
  })

  test('the cookie is nothing on /v1', async () => {
    const models = await ask(harness, 'GET', '/v1/models', { cookie, ...DASHBOARD })
    const chat = await ask(harness, 'POST', '/v1/chat/completions', { cookie, ...DASHBOARD }, {})
    assert.deepEqual([models.status, chat.status], [401, 401])
  })
})

/** Wrong keys until one is refused. On a slow machine the first ones have waited long enough before the last ones come. */
async function guessUntilRefused(guess: () => Promise<Asked>): Promise<{ waiting: Promise<Asked>[]; refused: Asked }> {
  const waiting: Promise<Asked>[] = []
  let refused: Asked | undefined
  const add = () => {
    const answer = guess()
    waiting.push(answer)
    answer.then(
      (each) => {
        if (each.status === 429) refused = each
      },
      () => {},
    )
  }
  for (let count = 0; count < 20; count++) add()
  await until(async () => {
    add()
    return refused !== undefined
  }, 'twenty wrong keys wait')
  assert.ok(refused)
  return { waiting, refused }
}

describe('while twenty wrong keys of one source wait', () => {
  const FROM_HERE = { 'x-forwarded-for': '198.51.100.1' }
  const FROM_ELSEWHERE = { 'x-forwarded-for': '198.51.100.2' }
  const bearer = (key: string) => ({ authorization: `Bearer ${key}` })
  const ways: [way: string, guess: (harness: Harness, key: string, from: Record<string, string>) => Promise<Asked>][] =
    [
      ['signing in', (harness, key, from) => signIn(harness, key, from)],
      ['a bearer key', (harness, key, from) => ask(harness, 'GET', '/keys', { ...bearer(key), ...from })],
    ]
  for (const [way, guess] of ways) {
    test(`guessed by ${way}, further wrong ones are refused; every right key works, and a stop ends the wait`, async (context) => {
      const warnings: string[] = []
      const onWarning = ({ message }: Error) => warnings.push(message)
      process.on('warning', onWarning)
      const harness = await startHarness({ environment: { TRUSTED_PROXIES: '127.0.0.1' } })
      context.after(() => harness.stop().catch(() => {}))
      const { waiting, refused } = await guessUntilRefused(() => guess(harness, 'gw_admin_wrong', FROM_HERE))
      assert.equal(refused.json.error.code, 'too_many_attempts')
      assert.equal(refused.headers.get('retry-after'), '5')
      assert.ok([200, 201].includes((await guess(harness, ADMIN_KEY, FROM_HERE)).status), 'the operator is let in')
      assert.equal((await signIn(harness, ADMIN_KEY, FROM_ELSEWHERE)).status, 201)
      assert.equal((await ask(harness, 'GET', '/keys', { ...bearer(ADMIN_KEY), ...FROM_ELSEWHERE })).status, 200)
      const chat = await ask(harness, 'GET', '/v1/models', { ...bearer(KEY), ...FROM_HERE })
      assert.equal(chat.status, 200, 'calls are not concerned')
      await harness.stop()
      const answers = await Promise.all(waiting)
      const statuses = new Set(answers.map(({ status }) => status))
      assert.ok(
        statuses.has(401) && [...statuses].every((status) => status === 401 || status === 429),
        [...statuses].join(),
      )
      process.off('warning', onWarning)
      assert.deepEqual(warnings, [])
    })
  }

  test('a session that is open goes on, and who sends no key is told at once', async (context) => {
    const harness = await startHarness()
    context.after(() => harness.stop().catch(() => {}))
    const { cookie } = await newCookie(harness)
    const { waiting } = await guessUntilRefused(() => signIn(harness, 'gw_admin_wrong'))
    assert.equal(await works(harness, cookie), true)
    assert.equal((await ask(harness, 'GET', '/keys')).status, 401)
    await harness.stop()
    await Promise.all(waiting)
  })
})
