import assert from 'node:assert/strict'
import { test } from 'node:test'
import { claimsOf, type Issuer, isIssuerReady, issuerForm, issuerOf, ruleForm } from './issuer-form.ts'

const ISSUER: Issuer = {
  ...{ name: 'github', managed_by: null, created_at: '2026-11-01T00:00:00Z', updated_at: '2026-11-01T00:00:00Z' },
  ...{ issuer: 'https://idp.test', audiences: ['a'], clients: null, algorithms: ['ES256'], jwks_url: null, jwks: null },
  ...{ max_token_seconds: 900, enabled: true },
  rules: [
    { when: { repo: ['a/b', 'a/c'], ref: 'x=y' }, key_id: 'k', user: 'email', session: null, tags: { repo: 'repo' } },
  ],
}

test('what the form does not show stays as it is', () => {
  const { name: _, managed_by: __, created_at: ___, updated_at: ____, ...settings } = ISSUER
  assert.deepEqual(issuerOf(issuerForm(ISSUER), ISSUER), settings)
})

test('claims are a line each, and several values of one are any of them', () => {
  assert.deepEqual(claimsOf('repo = a/b\n\nrepo=a/c\nref=x=y'), { repo: ['a/b', 'a/c'], ref: 'x=y' })
  assert.equal(claimsOf('repo'), null)
  assert.equal(claimsOf('repo='), null)
})

test('every rule needs a key and a claim before it can be saved', () => {
  const form = issuerForm(ISSUER)
  assert.equal(isIssuerReady(form), true)
  assert.equal(isIssuerReady({ ...form, rules: [ruleForm(null)] }), false)
  assert.equal(isIssuerReady({ ...form, audiences: [] }), false)
  assert.equal(isIssuerReady({ ...form, rules: [] }), true)
})
