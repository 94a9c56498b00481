import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Provider } from '../domain/provider.ts'
import { type Authorization, AuthorizationError, type OutgoingRequest, type Token } from './authorization.ts'
import { createTokens } from './tokens.ts'

const HOUR = 3_600_000

const PROVIDER: Provider = {
  name: 'signed',
  family: 'made-up',
  baseUrl: null,
  apiKey: null,
  headers: {},
  onCallerLeft: 'abort',
  credentials: { secret: 'first' },
}

/** A family whose tokens are fetched on demand. */
function world({ lifeMs = HOUR }: { lifeMs?: number | null } = {}) {
  let now = 0
  const fetches: PromiseWithResolvers<Token>[] = []
  const requests: OutgoingRequest[] = []
  const authorization: Authorization = {
    appliesTo: () => true,
    needsToken: ({ credentials }) => credentials !== undefined,
    fetchToken(_provider, tools) {
      void tools.request({ url: 'https://tokens.example/', headers: {}, method: 'POST', body: null })
      const fetch = Promise.withResolvers<Token>()
      fetches.push(fetch)
      return fetch.promise
    },
    headers: () => ({}),
  }
  const tokens = createTokens({
    now: () => now,
    environment: {},
    readFile: () => Promise.reject(new Error('not asked for')),
    async request(request) {
      requests.push(request)
      return { status: 200, text: '' }
    },
  })
  return {
    requests,
    fetches,
    pass: (milliseconds: number) => (now += milliseconds),
    of: (provider = PROVIDER) => tokens.of(provider, authorization),
    forget: (token: Token, provider = PROVIDER) => tokens.forget(provider, token),
    /** Ends the fetch that was begun last. */
    async deliver(name: string) {
      fetches.at(-1)?.resolve({ values: { name }, expiresAt: lifeMs === null ? null : now + lifeMs })
      await new Promise(setImmediate)
    },
    async fail(words: string) {
      fetches.at(-1)?.reject(new AuthorizationError(words))
      await new Promise(setImmediate)
    },
  }
}

const nameOf = async (token: Token | null | Promise<Token>) => (await token)?.values['name']

describe('tokens', () => {
  test('none is fetched where none is needed', () => {
    const { of, fetches } = world()
    const { credentials: _credentials, ...keyed } = PROVIDER
    assert.equal(of(keyed), null)
    assert.equal(fetches.length, 0)
  })

  test('one request serves all who wait, and later calls do not wait', async () => {
    const { of, fetches, deliver } = world()
    const waiting = [of(), of(), of()]
    await deliver('one')
    assert.deepEqual(await Promise.all(waiting.map(nameOf)), ['one', 'one', 'one'])
    const later = of()
    assert.ok(!(later instanceof Promise))
    assert.equal(fetches.length, 1)
  })

  test('is renewed before its end, once, while the present one serves', async () => {
    const { of, fetches, deliver, pass } = world()
    void of()
    await deliver('one')
    pass(HOUR - 300_000)
    assert.equal(await nameOf(of()), 'one')
    assert.equal(fetches.length, 1)
    pass(1)
    assert.equal(await nameOf(of()), 'one')
    assert.equal(await nameOf(of()), 'one')
    assert.equal(fetches.length, 2)
    await deliver('two')
    assert.equal(await nameOf(of()), 'two')
    assert.equal(fetches.length, 2)
  })

  test('that lives shortly is not renewed with every call', async () => {
    const { of, fetches, deliver, pass } = world({ lifeMs: 120_000 })
    void of()
    await deliver('one')
    pass(90_000)
    void of()
    assert.equal(fetches.length, 1)
    pass(1)
    void of()
    assert.equal(fetches.length, 2)
  })

  test('that does not end is kept', async () => {
    const { of, fetches, deliver, pass } = world({ lifeMs: null })
    void of()
    await deliver('one')
    pass(1000 * HOUR)
    assert.equal(await nameOf(of()), 'one')
    assert.equal(fetches.length, 1)
  })

  test('after its end every call waits for another', async () => {
    const { of, deliver, pass } = world()
    void of()
    await deliver('one')
    pass(HOUR)
    const next = of()
    assert.ok(next instanceof Promise)
    await deliver('two')
    assert.equal(await nameOf(next), 'two')
  })

  test('a renewal that fails is repeated after a pause, and the present one serves', async () => {
    const { of, fetches, deliver, fail, pass } = world()
    void of()
    await deliver('one')
    pass(HOUR - 200_000)
    assert.equal(await nameOf(of()), 'one')
    await fail('away')
    assert.equal(await nameOf(of()), 'one')
    assert.equal(fetches.length, 2)
    pass(10_000)
    assert.equal(await nameOf(of()), 'one')
    assert.equal(fetches.length, 3)
  })

  test('a failure is told to all who wait, and the next call tries again', async () => {
    const { of, fetches, deliver, fail } = world()
    const waiting = [of(), of()]
    const reported = Promise.allSettled(waiting)
    await fail('the clock is wrong')
    for (const outcome of await reported) {
      assert.ok(outcome.status === 'rejected' && outcome.reason instanceof AuthorizationError)
      assert.equal(outcome.reason.message, 'the clock is wrong')
    }
    const next = of()
    assert.equal(fetches.length, 2)
    await deliver('two')
    assert.equal(await nameOf(next), 'two')
  })

  test('one that was refused is forgotten, unless it is fresh', async () => {
    const { of, forget, fetches, deliver, pass } = world()
    const first = of()
    await deliver('one')
    const one = (await first) ?? assert.fail()
    pass(59_999)
    assert.equal(forget(one), false)
    assert.equal(of(), one)
    pass(1)
    assert.equal(forget(one), true)
    const next = of()
    assert.equal(fetches.length, 2)
    await deliver('two')
    assert.equal(await nameOf(next), 'two')
  })

  test('of several calls that are refused together, each is told that another is there', async () => {
    const { of, forget, fetches, deliver, pass } = world()
    const first = of()
    await deliver('one')
    const one = (await first) ?? assert.fail()
    pass(60_000)
    assert.equal(forget(one), true)
    assert.equal(forget(one), true, 'while nobody has fetched another')
    const next = of()
    assert.equal(forget(one), true, 'while another is fetched')
    await deliver('two')
    assert.equal(forget(one), true, 'once it is there')
    assert.equal(forget((await next) ?? assert.fail()), false, 'but not the new one')
    assert.equal(fetches.length, 2)
  })

  test('other credentials make another token, also while one is fetched', async () => {
    const { of, fetches, deliver } = world()
    const first = of()
    const changed = { ...PROVIDER, credentials: { secret: 'second' } }
    const second = of(changed)
    assert.equal(fetches.length, 2)
    await deliver('of the second')
    assert.equal(await nameOf(second), 'of the second')
    fetches[0]?.resolve({ values: { name: 'of the first' }, expiresAt: null })
    assert.equal(await nameOf(first), 'of the first')
    assert.equal(await nameOf(of(changed)), 'of the second')
  })

  test('are fetched through the proxy and with the authorities of the provider, beside the usual ones', async () => {
    const { of, requests } = world()
    void of({ ...PROVIDER, proxy: 'http://proxy.example:3128', ca: 'PEM' })
    void of({ ...PROVIDER, name: 'plain' })
    const usual = { url: 'https://tokens.example/', headers: {}, method: 'POST', body: null }
    const proxied = { ...usual, proxy: 'http://proxy.example:3128', ca: 'PEM', keepsUsualAuthorities: true }
    assert.deepEqual(requests, [proxied, usual])
  })
})
