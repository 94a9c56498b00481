import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Provider } from '../domain/provider.ts'
import type { UpstreamClient } from '../upstream/client.ts'
import type { HttpTarget } from '../upstream/target.ts'
import { type Authorization, AuthorizationError, type OutgoingRequest } from './authorization.ts'
import { authorize, isSigned } from './authorize.ts'
import type { Family } from './family.ts'

const PROVIDER: Provider = {
  name: 'signed',
  family: 'made-up',
  baseUrl: null,
  apiKey: 'stored-key',
  headers: {},
  onCallerLeft: 'abort',
}

const REQUEST: OutgoingRequest = {
  url: 'https://provider.example/v1',
  headers: { 'x-version': '1' },
  method: 'POST',
  body: '{}',
}

/** What becomes of the request: the target that is sent to, or why none is. */
async function authorized(authorization: Authorization | undefined, provider: Provider = PROVIDER, token = 'fetched') {
  const targets: HttpTarget[] = []
  const upstream = { endpoint: (target: HttpTarget) => targets.push(target) } as unknown as UpstreamClient
  const tokens = { of: async () => ({ values: { token }, expiresAt: null }), forget: () => false }
  const family = { authorization } as Family
  const outcome = await authorize(REQUEST, provider, family, { upstream, tokens, now: () => 42 })
  return targets[0] ?? outcome
}

const signing = (more: Partial<Authorization> = {}): Authorization => ({
  appliesTo: () => true,
  headers: ({ url, method, body }, _provider, token, now) => ({
    'x-signature': `${method} ${url} ${body} ${token?.values['token']} ${now}`,
  }),
  ...more,
})

describe('a request', () => {
  test('of a family with a key in a header goes out as it is', async () => {
    const { method: _method, body: _body, ...target } = REQUEST
    assert.deepEqual(await authorized(undefined), { ...target, method: 'POST', body: '{}' })
    assert.equal(isSigned({} as Family, PROVIDER), false)
  })

  test('of a provider to which the signature does not apply, too', async () => {
    const target = await authorized(signing({ appliesTo: () => false }))
    assert.ok(target !== undefined && 'url' in target)
    assert.deepEqual(target.headers, REQUEST.headers)
  })

  test('is signed as it will be sent, with the token and the time', async () => {
    const target = await authorized(signing())
    assert.ok('url' in target)
    const signature = 'POST https://provider.example/v1 {} fetched 42'
    assert.deepEqual(target.headers, { 'x-version': '1', 'x-signature': signature })
    assert.equal(isSigned({ authorization: signing() } as Family, PROVIDER), true)
  })

  test("takes the provider's proxy and authorities along", async () => {
    const target = await authorized(signing(), { ...PROVIDER, proxy: '', ca: 'PEM' })
    assert.ok('url' in target)
    assert.deepEqual([target.proxy, target.ca, target.keepsUsualAuthorities], ['', 'PEM', undefined])
  })

  for (const [where, broken] of [
    ['fetched', signing({ headers: () => Promise.reject(new AuthorizationError('the role is missing')) })],
    [
      'signed',
      signing({
        headers: () => {
          throw new AuthorizationError('the role is missing')
        },
      }),
    ],
  ] as const) {
    test(`that cannot be ${where} is not sent, and the words say why`, async () => {
      assert.deepEqual(await authorized(broken), { kind: 'unauthorized', detail: 'the role is missing' })
    })
  }

  test('a mistake of ours is not taken for one of the credentials', async () => {
    const broken = signing({ headers: () => Promise.reject(new TypeError('undefined is not a function')) })
    await assert.rejects(authorized(broken), TypeError)
  })
})
