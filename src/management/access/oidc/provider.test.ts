import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { problemOf, saidByProvider } from './problem.ts'
import { readIdentity } from './provider.ts'

const SETTINGS = { groupsClaim: 'groups', trustsEmail: false }
const CLAIMS = { iss: 'https://id.example', sub: 'ana-1', email: ' Ana@Example.com', name: 'Ana' }

describe('what the provider says of somebody', () => {
  const verified = (claim: unknown, trustsEmail = false) =>
    readIdentity({ ...CLAIMS, email_verified: claim }, { ...SETTINGS, trustsEmail }).isEmailVerified

  test('an address is verified only where it says so', () => {
    assert.deepEqual(
      [true, 'true'].map((claim) => verified(claim)),
      [true, true],
    )
    assert.deepEqual(
      [false, 'false', undefined, 1, 'yes', null].map((claim) => verified(claim)),
      Array(6).fill(false),
    )
  })

  test('with trust in its addresses, silence counts as verified, and a no as no', () => {
    assert.equal(verified(undefined, true), true)
    for (const claim of [false, 'false', 1, 'yes', null]) assert.equal(verified(claim, true), false, String(claim))
  })

  test('groups are a list or one name under any claim; anything else is none', () => {
    const groups = (claim: unknown) =>
      readIdentity(
        { ...CLAIMS, 'https://acme.example/roles': claim },
        { ...SETTINGS, groupsClaim: 'https://acme.example/roles' },
      ).groups
    assert.deepEqual(groups(['a', 'b']), ['a', 'b'])
    assert.deepEqual(groups('a'), ['a'])
    for (const claim of [undefined, 7, { a: 1 }, [7]]) assert.deepEqual(groups(claim), [])
  })

  test('addresses are in lower case; what is no text is left out', () => {
    assert.equal(readIdentity(CLAIMS, SETTINGS).email, 'ana@example.com')
    const odd = readIdentity({ ...CLAIMS, email: 7, name: {} }, SETTINGS)
    assert.deepEqual([odd.email, odd.name], [null, null])
  })
})

describe('a failure', () => {
  const failure = Object.assign(new Error('server responded with an error'), {
    code: 'OAUTH_RESPONSE_BODY_ERROR',
    error: 'invalid_grant',
    error_description: 'SECRET-WORDS',
    cause: { access_token: 'SECRET-TOKEN' },
    response: { body: 'SECRET-BODY' },
  })

  test('is told in the log by codes, never by what the provider sent', () => {
    assert.equal(problemOf(failure), 'server responded with an error, invalid_grant, OAUTH_RESPONSE_BODY_ERROR')
    const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })
    assert.equal(problemOf(new TypeError('fetch failed', { cause: refused })), 'fetch failed, ECONNREFUSED')
  })

  test('is told to people only as the code of the usual form', () => {
    const said = (error: string) =>
      saidByProvider(Object.assign(new Error(), { code: 'OAUTH_AUTHORIZATION_RESPONSE_ERROR', error }))
    assert.equal(said('access_denied'), 'access_denied')
    assert.equal(said('call 0800 12345'), 'an error')
    assert.equal(saidByProvider(failure), null)
  })
})
