import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readSettings } from './config.ts'
import { oidcSettings } from './oidc-config.ts'

const WHOLE = {
  PUBLIC_URL: 'https://gateway.example.com/',
  OIDC_ISSUER: 'https://id.example.com/realms/acme',
  OIDC_CLIENT_ID: 'switchyard',
}

describe('the identity provider', () => {
  test('is off unless it is named', () => {
    assert.equal(oidcSettings(readSettings({})), null)
    assert.equal(oidcSettings(readSettings({ PUBLIC_URL: WHOLE.PUBLIC_URL })), null)
  })

  test('has the documented defaults', () => {
    assert.deepEqual(oidcSettings(readSettings(WHOLE)), {
      issuer: 'https://id.example.com/realms/acme',
      clientId: 'switchyard',
      clientSecret: null,
      publicUrl: 'https://gateway.example.com',
      scopes: 'openid email profile',
      groupsClaim: 'groups',
      groupRoles: [],
      trustsEmail: false,
      name: 'single sign-on',
    })
  })

  const refused: [given: Record<string, string>, problem: RegExp][] = [
    [{ ...WHOLE, PUBLIC_URL: '' }, /^OIDC_ISSUER: also set PUBLIC_URL/],
    [{ ...WHOLE, OIDC_CLIENT_ID: '' }, /^OIDC_ISSUER: also set OIDC_CLIENT_ID$/],
    [{ OIDC_CLIENT_SECRET: 'the-secret-itself' }, /^OIDC_CLIENT_SECRET: also set OIDC_ISSUER$/],
    [{ ...WHOLE, OIDC_ISSUER: 'http://id.example.com' }, /^OIDC_ISSUER: an https:\/\/ address/],
    [{ ...WHOLE, OIDC_ISSUER: 'http://127.0.0.1.evil.example' }, /^OIDC_ISSUER: an https:\/\/ address/],
    [{ ...WHOLE, PUBLIC_URL: 'https://gateway.example.com/path' }, /^PUBLIC_URL: .*without a path/],
    [{ ...WHOLE, PUBLIC_URL: 'gateway.example.com' }, /^PUBLIC_URL: /],
    [{ ...WHOLE, OIDC_SCOPES: 'email' }, /^OIDC_SCOPES: .*openid among them/],
    [{ ...WHOLE, OIDC_GROUP_ROLES: 'platform=owner' }, /^OIDC_GROUP_ROLES: group=role/],
  ]
  for (const [given, problem] of refused) {
    test(`${problem}`, () => assert.throws(() => readSettings(given), { name: 'ConfigError', message: problem }))
  }

  test('may speak plain HTTP on this machine only', () => {
    for (const host of ['127.0.0.1:3000', 'localhost:3000', '[::1]:3000']) {
      assert.ok(oidcSettings(readSettings({ ...WHOLE, OIDC_ISSUER: `http://${host}` })))
    }
  })
})
