import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { startConnectProxy } from '../egress/connect-proxy.ts'
import { type Harness, type Json, startHarness, until } from '../harness.ts'
import { type Account, Browser, CLIENT_SECRET, gatewayAddress, startProvider, type TestProvider } from '../oidc.ts'
import { startPostgres } from '../postgres.ts'
import { ENGINES } from '../test-store.ts'
import { auditOf, managing } from './manage.ts'

const postgres = await startPostgres()
after(() => postgres.stop())

const AT_ONCE = 8

for (const engine of ENGINES) {
  describe(engine, () => {
    let harness: Harness
    let provider: TestProvider
    let url: string
    const manage = managing(() => harness)

    before(async () => {
      const address = await gatewayAddress()
      url = address.url
      provider = await startProvider([address.callback])
      harness = await startHarness({
        environment: {
          ...provider.environment(url),
          OIDC_GROUP_ROLES: 'platform=admin',
          PORT: address.port,
          ...(engine === 'postgres' ? { DATABASE_URL: await postgres.createDatabase() } : {}),
        },
      })
    })
    after(async () => {
      await harness.stop()
      await provider.stop()
    })

    let serial = 0
    const newAccount = (more: Partial<Account> = {}) => {
      const name = `racer-${++serial}`
      return { sub: `0u${serial}`, email: `${name}@example.com`, email_verified: true, name, ...more }
    }
    /** At the provider already: what is left is the way back. */
    async function arrive(account: Account) {
      provider.account = account
      const browser = new Browser()
      const callback = await browser.follow(`${url}/sign-in`, `${url}/sign-in/callback`)
      return { browser, finish: async () => (await browser.open(callback)).status }
    }
    const arriveAtOnce = async (account: Account) => {
      const arrivals: Awaited<ReturnType<typeof arrive>>[] = []
      for (let count = 0; count < AT_ONCE; count++) arrivals.push(await arrive(account))
      return arrivals
    }
    const people = async () => (await manage('GET', '/people?limit=500')).json.data as Json[]
    const current = (browser: Browser) =>
      fetch(`${url}/sessions/current`, { headers: { cookie: browser.cookie(url), 'x-switchyard-dashboard': '1' } })

    for (const by of ['groups', 'invite'] as const) {
      test(`somebody who signs in for the first time in ${AT_ONCE} browsers at once is one person, by ${by}`, async () => {
        const account = newAccount(by === 'groups' ? { groups: ['platform'] } : {})
        if (by === 'invite') await manage('POST', '/invites', { email: account.email, role: 'editor' })
        const arrivals = await arriveAtOnce(account)
        const statuses = await Promise.all(arrivals.map(({ finish }) => finish()))
        assert.deepEqual(statuses, Array(AT_ONCE).fill(302))
        const found = (await people()).filter(({ subject }) => subject === account.sub)
        assert.deepEqual(
          found.map(({ role, role_from }) => [role, role_from]),
          [[by === 'groups' ? 'admin' : 'editor', by]],
        )
        const created = await auditOf(manage, `people/${found[0].id}`)
        assert.deepEqual(
          created.map(({ action }: Json) => action),
          ['people.create'],
        )
        for (const { browser } of arrivals) assert.equal((await current(browser)).status, 200)
      })
    }

    test('an address that is invited many times at once has one invite', async () => {
      const { email } = newAccount()
      const asked = Array.from({ length: AT_ONCE }, () => manage('POST', '/invites', { email }))
      const statuses = (await Promise.all(asked)).map(({ status }) => status)
      assert.deepEqual(statuses.sort(), [201, ...Array(AT_ONCE - 1).fill(409)])
    })

    test('no request begins after the answer that somebody is disabled, and no sign-in leaves a session', async () => {
      const account = newAccount({ groups: ['platform'] })
      const { browser, finish } = await arrive(account)
      assert.equal(await finish(), 302)
      const { id } = (await people()).find(({ subject }) => subject === account.sub)
      const late = await arriveAtOnce(account)
      let isDisabled = false
      let served = 0
      const wrong: number[] = []
      const asking = Array.from({ length: AT_ONCE }, async () => {
        for (let after = 0; after < 5; ) {
          const isLate = isDisabled
          const { status } = await current(browser)
          if (status === 200) served++
          if (isLate) after++
          if (isLate && status !== 401) wrong.push(status)
        }
      })
      const arriving = late.map(({ finish: end }) => end())
      await until(() => served > 0, 'the session is used')
      const disabled = await manage('PATCH', `/people/${id}`, { disabled: true })
      isDisabled = true
      assert.equal(disabled.status, 200)
      await Promise.all(asking)
      assert.deepEqual(wrong, [])
      for (const status of await Promise.all(arriving)) assert.ok(status === 302 || status === 403, String(status))
      // Sessions opened in between stay closed, even after the person is enabled.
      assert.equal((await manage('PATCH', `/people/${id}`, { disabled: false })).status, 200)
      for (const each of late) assert.equal((await current(each.browser)).status, 401)
    })

    test('a refused sign-in is in the audit list: who and why, no address, no code, not each repetition', async () => {
      const account = newAccount()
      for (let count = 0; count < 3; count++) assert.equal(await (await arrive(account)).finish(), 403)
      const entries = await auditOf(manage, `sign-ins/${account.sub}`)
      assert.equal(entries.length, 1)
      const [{ actor, actor_name, action, after: reported }] = entries
      assert.deepEqual([actor, actor_name, action], ['sign-in', account.sub, 'sign-ins.refuse'])
      assert.deepEqual(reported, { issuer: provider.issuer, subject: account.sub, reason: 'not_invited' })
      for (const secret of [account.email, account.name, CLIENT_SECRET, 'code=']) {
        assert.ok(!JSON.stringify(entries).includes(secret), secret)
      }
      // Another reason is another row.
      const { id } = (await manage('POST', '/invites', { email: account.email })).json
      await harness.gateway.store.db.updateTable('invites').set({ expires_at: 1 }).where('id', '=', id).execute()
      assert.equal(await (await arrive(account)).finish(), 403)
      const [newest] = await auditOf(manage, `sign-ins/${account.sub}`)
      assert.equal(newest.after.reason, 'invite_expired')
    })
  })
}

test('the identity provider is asked through the proxy of the environment', async () => {
  const proxy = await startConnectProxy(() => 9)
  proxy.answer = () => 'HTTP/1.1 403 Forbidden\r\nconnection: close\r\ncontent-length: 0\r\n\r\n'
  const environment = {
    HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`,
    PUBLIC_URL: 'https://gateway.example',
    OIDC_ISSUER: 'https://id.example',
    OIDC_CLIENT_ID: 'switchyard',
    OIDC_CLIENT_SECRET: CLIENT_SECRET,
  }
  const harness = await startHarness({ environment })
  try {
    assert.equal((await harness.get('/sign-in', {})).status, 502)
    assert.ok(proxy.heads.some((head) => head.startsWith('CONNECT id.example:443 HTTP/1.1\r\n')))
    assert.ok(!proxy.heads.join().includes(CLIENT_SECRET))
  } finally {
    await harness.stop()
    await proxy.close()
  }
})
