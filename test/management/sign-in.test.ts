import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Harness, type Json, startHarness } from '../harness.ts'
import { type Account, Browser, CLIENT_SECRET, gatewayAddress, startProvider, type TestProvider } from '../oidc.ts'
import { startPostgres } from '../postgres.ts'
import { ENGINES } from '../test-store.ts'
import { auditOf, managing } from './manage.ts'

const postgres = await startPostgres()
after(() => postgres.stop())

let serial = 0
/** A new person for each test. */
function newAccount(more: Partial<Account> = {}): Account & { email: string } {
  const name = `person-${++serial}`
  return { sub: `sub-${name}`, email: `${name}@example.com`, email_verified: true, name, ...more } as Account & {
    email: string
  }
}

for (const engine of ENGINES) {
  describe(engine, () => {
    let harness: Harness
    let provider: TestProvider
    let url: string
    let environment: Record<string, string>
    const manage = managing(() => harness)

    before(async () => {
      const address = await gatewayAddress()
      url = address.url
      provider = await startProvider([address.callback])
      environment = {
        ...provider.environment(url),
        SECRETS_KEY: 'the secrets key of this test',
        OIDC_GROUP_ROLES: 'platform=admin; research team=editor@research; retired=viewer@gone',
        ...(engine === 'postgres' ? { DATABASE_URL: await postgres.createDatabase() } : {}),
      }
      harness = await startHarness({ environment: { ...environment, PORT: address.port } })
      await manage('POST', '/workspaces', { name: 'research' })
    })
    after(async () => {
      await harness.stop()
      await provider.stop()
    })

    /** Through the provider and back; the last answer is that of the callback. */
    async function signIn(account: Account | null, browser = new Browser(), from = '/sign-in') {
      provider.account = account
      const callback = await browser.follow(url + from, `${url}/sign-in/callback`)
      const answer = await browser.open(callback)
      return {
        status: answer.status,
        location: answer.headers.get('location'),
        text: await answer.text(),
        browser,
        callback,
      }
    }
    const ask = async (browser: Browser, path: string, init: RequestInit = {}, at = url) => {
      const headers = { 'x-switchyard-dashboard': '1', 'content-type': 'application/json', cookie: browser.cookie(url) }
      const response = await fetch(at + path, { ...init, headers })
      const text = await response.text()
      return { status: response.status, json: (text === '' ? null : JSON.parse(text)) as Json }
    }
    const invite = async (email: string, more: object = {}) => {
      const answer = await manage('POST', '/invites', { email, ...more })
      assert.equal(answer.status, 201, answer.text)
      return answer.json
    }
    const personOf = async ({ sub }: Account) =>
      ((await manage('GET', '/people?limit=500')).json.data as Json[]).find(({ subject }) => subject === sub)
    const current = async (browser: Browser) => (await ask(browser, '/sessions/current')).json

    describe('signing in', () => {
      test('the sign-in page learns the name of the provider and where to go', async () => {
        const answer = await fetch(`${url}/sessions/options`)
        assert.deepEqual(await answer.json(), { oidc: { name: 'Acme ID', url: `${url}/sign-in` } })
      })

      test('uses PKCE, a state and a nonce, and the secret goes to the provider alone', async () => {
        const start = await new Browser().open(`${url}/sign-in`)
        const location = new URL(start.headers.get('location') ?? '')
        assert.equal(start.status, 302)
        assert.equal(location.origin, provider.issuer)
        const sent = Object.fromEntries(location.searchParams)
        assert.deepEqual(
          [sent['response_type'], sent['code_challenge_method'], sent['redirect_uri'], sent['client_id']],
          ['code', 'S256', `${url}/sign-in/callback`, 'switchyard'],
        )
        for (const name of ['state', 'nonce', 'code_challenge']) assert.match(sent[name] ?? '', /^[\w-]{43}$/, name)
        assert.match(
          start.headers.get('set-cookie') ?? '',
          /^switchyard_sign_in=[\w.=+/-]+; Path=\/sign-in; HttpOnly; SameSite=Lax; Max-Age=600$/,
        )
        assert.ok(!(start.headers.get('set-cookie') ?? '').includes(sent['state'] ?? '?'))
        const account = newAccount({ groups: ['platform'] })
        await signIn(account)
        const request = provider.tokenRequests.at(-1)
        assert.equal(request?.get('client_secret'), CLIENT_SECRET)
        assert.match(request?.get('code_verifier') ?? '', /^[\w-]{43}$/)
      })

      test('asks the provider which account where another one is wanted', async () => {
        const start = await new Browser().open(`${url}/sign-in?account=other`)
        assert.equal(new URL(start.headers.get('location') ?? '').searchParams.get('prompt'), 'select_account')
        const usual = await new Browser().open(`${url}/sign-in`)
        assert.equal(new URL(usual.headers.get('location') ?? '').searchParams.get('prompt'), null)
      })

      test('an invited person is let in with the role of the invite, and the invite is gone', async () => {
        const account = newAccount()
        const { id } = await invite(account.email.toUpperCase(), { role: 'editor', workspaces: ['research'] })
        const { status, location, browser } = await signIn(account)
        assert.deepEqual([status, location], [302, '/dashboard'])
        const me = await current(browser)
        assert.deepEqual(
          [me.role, me.workspaces, me.person_name, me.key_id, me.key_name],
          ['editor', ['research'], account.email, null, null],
        )
        const person = await personOf(account)
        assert.equal(person.id, me.person_id)
        const { email, name, issuer, role_from, disabled_at } = person
        assert.deepEqual(
          [email, name, issuer, role_from, disabled_at],
          [account.email, account.name, provider.issuer, 'invite', null],
        )
        assert.ok(!(await manage('GET', '/invites')).text.includes(id))
        assert.equal((await ask(browser, '/keys?workspace=research')).status, 200)
        assert.equal((await ask(browser, '/keys?workspace=default')).status, 403)
      })

      test('the cookie of the session is as that of an admin key, and the other one is taken back', async () => {
        const account = newAccount({ groups: ['platform'] })
        provider.account = account
        const browser = new Browser()
        const callback = await browser.follow(`${url}/sign-in`, `${url}/sign-in/callback`)
        const answer = await browser.open(callback)
        const [session, taken] = answer.headers.getSetCookie()
        assert.match(session ?? '', /^switchyard_session=[\w.-]+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=86400$/)
        assert.equal(taken, 'switchyard_sign_in=; Path=/sign-in; HttpOnly; SameSite=Lax; Max-Age=0')
      })

      test('leads back to the page that was asked for, and to none of another site', async () => {
        const account = newAccount({ groups: ['platform'] })
        const asked = (path: string) => signIn(account, new Browser(), `/sign-in?return_to=${encodeURIComponent(path)}`)
        assert.equal((await asked('/dashboard/default/keys?new=1')).location, '/dashboard/default/keys?new=1')
        for (const path of ['https://evil.example/dashboard', '//evil.example', '/\\evil.example', '/keys']) {
          assert.equal((await asked(path)).location, '/dashboard', path)
        }
      })

      test('the audit list names the person', async () => {
        const account = newAccount()
        await invite(account.email, { role: 'editor' })
        const { browser } = await signIn(account)
        const { person_id: id, session_id: session } = await current(browser)
        const created = await ask(browser, '/keys', { method: 'POST', body: JSON.stringify({ name: `by-${id}` }) })
        assert.equal(created.status, 201)
        for (const resource of [`keys/${created.json.id}`, `people/${id}`, `sessions/${session}`]) {
          const [entry] = await auditOf(manage, resource)
          assert.deepEqual([entry.actor, entry.actor_name], [id, account.email], resource)
        }
      })
    })

    describe('is refused, with a page that says what to do', () => {
      const refused = async (answer: Awaited<ReturnType<typeof signIn>>, status: number, words: RegExp) => {
        assert.equal(answer.status, status, answer.text)
        assert.match(answer.text, words)
        assert.equal((await ask(answer.browser, '/sessions/current')).status, 401)
      }

      test('somebody whom nobody invited, in no group with a role', async () => {
        const account = newAccount({ groups: ['other'] })
        await refused(
          await signIn(account),
          403,
          /You signed in as <b>.*you have not been invited.*Ask an administrator.*sign-in\?account=other.*Use another account/s,
        )
        assert.equal(await personOf(account), undefined)
      })

      test('an invite for an address that the provider has not verified', async () => {
        for (const more of [{ email_verified: false }, { email_verified: undefined }]) {
          const account = newAccount(more as Partial<Account>)
          await invite(account.email)
          await refused(await signIn(account), 403, /not verified.*Verify it there/s)
        }
      })

      test('an invite that has expired', async () => {
        const account = newAccount()
        const { id } = await invite(account.email)
        await harness.gateway.store.db.updateTable('invites').set({ expires_at: 1 }).where('id', '=', id).execute()
        await refused(await signIn(account), 403, /Your invite has expired.*invite you again/s)
        assert.ok((await manage('GET', '/invites')).text.includes(id), 'an admin sees why')
        await invite(account.email)
        assert.equal((await signIn(account)).status, 302)
      })

      test('an invite that was withdrawn', async () => {
        const account = newAccount()
        const { id } = await invite(account.email)
        assert.equal((await manage('DELETE', `/invites/${id}`)).status, 204)
        await refused(await signIn(account), 403, /you have not been invited/)
      })

      test('whoever declines at the provider', async () => {
        await refused(await signIn(null), 400, /Acme ID ended the sign-in \(access_denied\)\. Start again/)
      })

      test('a callback without the cookie of this browser', async () => {
        const account = newAccount({ groups: ['platform'] })
        provider.account = account
        const callback = await new Browser().follow(`${url}/sign-in`, `${url}/sign-in/callback`)
        const other = new Browser()
        const answer = await other.open(callback)
        assert.equal(answer.status, 400)
        assert.match(await answer.text(), /began in another browser\. Start again/)
        // The same with a sign-in of its own: the state is another.
        await other.open(`${url}/sign-in`)
        const mixed = await other.open(callback)
        assert.equal(mixed.status, 400)
        assert.match(await mixed.text(), /did not fit this sign-in\. Start again/)
        assert.equal((await ask(other, '/sessions/current')).status, 401)
        assert.equal(await personOf(account), undefined)
      })

      test('a callback that comes twice, with its cookie or without', async () => {
        const account = newAccount({ groups: ['platform'] })
        provider.account = account
        const browser = new Browser()
        const callback = await browser.follow(`${url}/sign-in`, `${url}/sign-in/callback`)
        const cookie = browser.cookie(url)
        assert.equal((await browser.open(callback)).status, 302)
        const asked = provider.tokenRequests.length
        const replayed = await fetch(callback, { redirect: 'manual', headers: { cookie } })
        assert.equal(replayed.status, 400)
        assert.match(await replayed.text(), /This sign-in is too old/)
        assert.equal(provider.tokenRequests.length, asked, 'the provider is not asked again')
        assert.ok(!replayed.headers.getSetCookie().some((line) => line.startsWith('switchyard_session=')))
        assert.equal((await new Browser().open(callback)).status, 400)
      })

      test('an ID token with another nonce', async () => {
        provider.account = newAccount({ groups: ['platform'] })
        const browser = new Browser()
        const start = await browser.open(`${url}/sign-in`)
        const location = new URL(start.headers.get('location') ?? '')
        location.searchParams.set('nonce', 'of-somebody-else')
        const callback = await browser.follow(location.href, `${url}/sign-in/callback`)
        const answer = await browser.open(callback)
        assert.equal(answer.status, 400)
        assert.match(await answer.text(), /did not fit this sign-in/)
      })

      test('a cookie that somebody made up, or that is for something else', async () => {
        const callback = `${url}/sign-in/callback?code=x&state=y`
        for (const value of ['x', 'v1.a.b.c', harness.gateway.store.secrets.encrypt('{}', 'session cookie')]) {
          const answer = await fetch(callback, { headers: { cookie: `switchyard_sign_in=${value}` } })
          assert.equal(answer.status, 400)
          assert.match(await answer.text(), /This sign-in is too old/)
        }
      })

      test('words of the provider do not become a page', async () => {
        const browser = new Browser()
        const start = await browser.open(`${url}/sign-in`)
        const state = new URL(start.headers.get('location') ?? '').searchParams.get('state')
        const said = encodeURIComponent('<script>alert(1)</script>')
        const more = `iss=${encodeURIComponent(provider.issuer)}&error_description=${said}`
        const answer = await browser.open(`${url}/sign-in/callback?error=${said}&state=${state}&${more}`)
        const text = await answer.text()
        assert.match(text, /Acme ID ended the sign-in \(an error\)/)
        assert.doesNotMatch(text, /script>/)
      })
    })

    describe('groups', () => {
      test('give a role, found anew at each sign-in and effective in every session', async () => {
        const account = newAccount({ groups: ['other', 'research team'] })
        const { browser } = await signIn(account)
        assert.deepEqual([(await current(browser)).role, (await current(browser)).workspaces], ['editor', ['research']])
        const second = await signIn({ ...account, groups: ['platform'] })
        assert.equal((await current(second.browser)).role, 'admin')
        assert.equal((await current(browser)).role, 'admin', 'in the session from before, too')
        const person = await personOf(account)
        assert.equal(person.role_from, 'groups')
        const [changed] = await auditOf(manage, `people/${person.id}`)
        assert.deepEqual(
          [changed.action, changed.before.role, changed.after.role],
          ['people.update', 'editor', 'admin'],
        )
      })

      test('whoever has left them is refused, and loses the sessions from before', async () => {
        const account = newAccount({ groups: ['platform'] })
        const { browser } = await signIn(account)
        assert.equal((await signIn({ ...account, groups: [] })).status, 403)
        assert.equal((await ask(browser, '/sessions/current')).status, 401)
      })

      test('a role that an admin gave stays, whatever the groups', async () => {
        const account = newAccount({ groups: ['platform'] })
        await signIn(account)
        const { id } = await personOf(account)
        const changed = await manage('PATCH', `/people/${id}`, { role: 'viewer' })
        assert.deepEqual([changed.json.role, changed.json.role_from], ['viewer', 'admin'])
        assert.equal((await current((await signIn(account)).browser)).role, 'viewer')
      })

      test('an address that the provider has not verified names nobody', async () => {
        const account = newAccount({ groups: ['platform'], email_verified: false, name: 'Ana' })
        const { browser } = await signIn(account)
        assert.equal((await current(browser)).person_name, `Ana (${account.sub})`)
        assert.equal((await personOf(account)).email, null)
      })
    })

    describe('people', () => {
      const arrived = async (more: object = { role: 'editor' }) => {
        const account = newAccount()
        await invite(account.email, more)
        const { browser } = await signIn(account)
        return { account, browser, id: (await personOf(account)).id as string }
      }

      test('a change of the role works with the next request', async () => {
        const { browser, id } = await arrived()
        const create = (name: string) =>
          ask(browser, '/keys', { method: 'POST', body: JSON.stringify({ name: `${name}-${id}` }) })
        assert.equal((await create('first')).status, 201)
        assert.equal((await manage('PATCH', `/people/${id}`, { role: 'viewer', workspaces: ['research'] })).status, 200)
        assert.equal((await create('second')).status, 403)
        assert.deepEqual((await current(browser)).workspaces, ['research'])
        const [entry] = await auditOf(manage, `people/${id}`)
        assert.deepEqual([entry.before.role, entry.after.role, entry.after.role_from], ['editor', 'viewer', 'admin'])
      })

      test('whoever is disabled is out at once, cannot come back, and is let in again when enabled', async () => {
        const { account, browser, id } = await arrived()
        const disabled = await manage('PATCH', `/people/${id}`, { disabled: true })
        assert.notEqual(disabled.json.disabled_at, null)
        assert.equal((await ask(browser, '/sessions/current')).status, 401)
        const again = await signIn(account)
        assert.equal(again.status, 403)
        assert.match(again.text, /Your access is disabled.*Ask an administrator/s)
        assert.equal((await manage('PATCH', `/people/${id}`, { disabled: false })).json.disabled_at, null)
        assert.equal((await ask(browser, '/sessions/current')).status, 401, 'the session from before is gone')
        assert.equal((await signIn(account)).status, 302)
      })

      test('their sessions are listed with their name, and end one by one or all', async () => {
        const { account, browser, id } = await arrived()
        const other = (await signIn(account)).browser
        const sessions = async () =>
          ((await manage('GET', '/sessions?limit=500')).json.data as Json[]).filter(({ person_id }) => person_id === id)
        const listed = await sessions()
        assert.equal(listed.length, 2)
        assert.deepEqual([listed[0].person_name, listed[0].key_id], [account.email, null])
        const own = await ask(browser, '/sessions')
        assert.deepEqual(own.json.data.map((session: Json) => session.id).sort(), listed.map((each) => each.id).sort())
        assert.equal((await manage('DELETE', `/sessions/${(await current(other)).session_id}`)).status, 204)
        assert.equal((await ask(other, '/sessions/current')).status, 401)
        assert.equal((await ask(browser, '/sessions/current')).status, 200)
        assert.equal((await manage('DELETE', `/people/${id}/sessions`)).status, 204)
        assert.equal((await ask(browser, '/sessions/current')).status, 401)
        assert.deepEqual(await sessions(), [])
      })

      test('signing out ends the session', async () => {
        const { browser } = await arrived()
        assert.equal((await ask(browser, '/sessions/current', { method: 'DELETE' })).status, 204)
        assert.equal((await ask(browser, '/sessions/current')).status, 401)
      })

      test('whoever is removed is unknown, and may be invited again', async () => {
        const { account, browser, id } = await arrived()
        assert.equal((await manage('POST', '/invites', { email: account.email })).status, 409)
        assert.equal((await manage('DELETE', `/people/${id}`)).status, 204)
        assert.equal((await ask(browser, '/sessions/current')).status, 401)
        assert.equal((await manage('DELETE', `/people/${id}`)).status, 404)
        assert.equal((await signIn(account)).status, 403)
        await invite(account.email)
        assert.equal((await signIn(account)).status, 302)
      })

      test('when they were last seen is known to five minutes', async () => {
        const { account, browser, id } = await arrived()
        const seen = async () => Date.parse((await personOf(account)).last_seen_at)
        const { db } = harness.gateway.store
        const long = Date.now() - 6 * 60_000
        await db.updateTable('people').set({ last_seen_at: long }).where('id', '=', id).execute()
        await current(browser)
        const now = await seen()
        assert.ok(now > long)
        await current(browser)
        assert.equal(await seen(), now, 'not every request writes')
      })

      test('a workspace that is deleted is taken from people and invites', async () => {
        await manage('POST', '/workspaces', { name: 'gone' })
        const { browser } = await arrived({ role: 'viewer', workspaces: ['gone', 'research'] })
        const { id } = await invite(newAccount().email, { workspaces: ['gone', 'research'] })
        assert.equal((await manage('DELETE', '/workspaces/gone')).status, 204)
        assert.deepEqual((await current(browser)).workspaces, ['research'])
        const invites = (await manage('GET', '/invites?limit=500')).json.data as Json[]
        assert.deepEqual(invites.find((each) => each.id === id).workspaces, ['research'])
      })

      test('an admin of some workspaces invites and changes within these only', async () => {
        const { browser } = await arrived({ role: 'admin', workspaces: ['research'] })
        const post = (path: string, body: object, method = 'POST') =>
          ask(browser, path, { method, body: JSON.stringify(body) })
        assert.equal((await post('/invites', { email: newAccount().email })).status, 403)
        const invited = await post('/invites', { email: newAccount().email, workspaces: ['research'] })
        assert.deepEqual([invited.status, invited.json.role], [201, 'viewer'])
        const { id } = await arrived({ role: 'viewer', workspaces: ['research'] })
        assert.equal((await post(`/people/${id}`, { role: 'editor' }, 'PATCH')).status, 200)
        const more = await post(`/people/${id}`, { workspaces: null }, 'PATCH')
        assert.deepEqual([more.status, more.json.error.code], [403, 'forbidden'])
      })
    })

    test('another gateway of the database knows the session, and its end', async (context) => {
      if (engine === 'sqlite') return context.skip('an embedded gateway is alone')
      const other = await startHarness({ environment: { ...environment, PORT: '0' } })
      try {
        const account = newAccount({ groups: ['platform'] })
        const { browser } = await signIn(account)
        assert.equal((await ask(browser, '/sessions/current', {}, other.url)).status, 200)
        const { id } = await personOf(account)
        await manage('PATCH', `/people/${id}`, { disabled: true })
        assert.equal((await ask(browser, '/sessions/current', {}, other.url)).status, 401)
      } finally {
        await other.stop()
      }
    })

    test('no token, code or secret is stored', async () => {
      const account = newAccount({ groups: ['platform'] })
      const { callback } = await signIn(account)
      const code = new URL(callback).searchParams.get('code') ?? '?'
      const { db } = harness.gateway.store
      const tables = ['people', 'invites', 'person_sessions', 'audit', 'settings'] as const
      const stored = JSON.stringify(
        await Promise.all(tables.map((table) => db.selectFrom(table).selectAll().execute())),
      )
      assert.ok(stored.includes(account.sub))
      for (const secret of [code, CLIENT_SECRET, 'eyJ']) assert.ok(!stored.includes(secret), secret)
    })
  })
}

test('a provider that cannot be reached is said in words, and one that comes back is used', async () => {
  const address = await gatewayAddress()
  const provider = await startProvider([address.callback])
  const { port } = new URL(provider.issuer)
  await provider.stop()
  const harness = await startHarness({ environment: { ...provider.environment(address.url), PORT: address.port } })
  try {
    const answer = await new Browser().open(`${address.url}/sign-in`)
    assert.equal(answer.status, 502)
    const text = await answer.text()
    assert.match(text, /Acme ID cannot be reached.*Try again in a minute/s)
    assert.ok(!text.includes(CLIENT_SECRET))
    const back = await startProvider([address.callback], Number(port))
    try {
      assert.equal((await new Browser().open(`${address.url}/sign-in`)).status, 302)
    } finally {
      await back.stop()
    }
  } finally {
    await harness.stop()
  }
})

test('an ID token whose signature is not by a key of the provider is refused', async (context) => {
  const address = await gatewayAddress()
  const provider = await startProvider([address.callback])
  context.after(() => provider.stop())
  const environment = { ...provider.environment(address.url), OIDC_GROUP_ROLES: 'platform=admin', PORT: address.port }
  const harness = await startHarness({ environment })
  context.after(() => harness.stop())
  provider.account = newAccount({ groups: ['platform'] })
  provider.hidesKeys = true
  const browser = new Browser()
  const callback = await browser.follow(`${address.url}/sign-in`, address.callback)
  const answer = await browser.open(callback)
  assert.equal(answer.status, 400)
  assert.match(await answer.text(), /did not fit this sign-in/)
  assert.ok(!answer.headers.getSetCookie().some((line) => line.startsWith('switchyard_session=')))
})

test('without a provider there is nothing to sign in with but a key', async () => {
  const harness = await startHarness()
  try {
    assert.deepEqual((await harness.get('/sessions/options', {})).json, { oidc: null })
    for (const path of ['/sign-in', '/sign-in/callback']) assert.equal((await harness.get(path, {})).status, 404)
  } finally {
    await harness.stop()
  }
})
