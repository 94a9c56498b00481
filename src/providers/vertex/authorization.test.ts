import assert from 'node:assert/strict'
import { createVerify, generateKeyPairSync } from 'node:crypto'
import { describe, test } from 'node:test'
import type { Provider } from '../../domain/provider.ts'
import { AuthorizationError, type OutgoingRequest, type TokenTools } from '../authorization.ts'
import { authorization } from './authorization.ts'

const { privateKey, publicKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
})
const NOW = Date.UTC(2026, 10, 16, 12)
const SCOPE = 'https://www.googleapis.com/auth/cloud-platform'
const key = (change: object = {}) =>
  JSON.stringify({
    type: 'service_account',
    client_email: 'me@p.example',
    private_key: privateKey,
    private_key_id: 'k1',
    ...change,
  })

const provider = (service_account?: string): Provider => ({
  name: 'v',
  family: 'vertex',
  baseUrl: null,
  apiKey: null,
  headers: {},
  onCallerLeft: 'drain',
  settings: { project: 'my-project' },
  ...(service_account === undefined ? {} : { credentials: { service_account } }),
})

function toolsWith(reply: { status: number; text: string } | Error, environment = {}) {
  const asked: OutgoingRequest[] = []
  const tools: TokenTools = {
    now: () => NOW,
    environment,
    readFile: () => Promise.reject(new Error('no file is read')),
    async request(request) {
      asked.push(request)
      if (reply instanceof Error) throw reply
      return reply
    },
  }
  return { tools, asked }
}
const GRANTED = {
  status: 200,
  text: JSON.stringify({ access_token: 'ya29.token', expires_in: 3599, token_type: 'Bearer' }),
}

async function fetched(reply: { status: number; text: string } | Error, given: Provider, environment = {}) {
  const { tools, asked } = toolsWith(reply, environment)
  const token = await authorization.fetchToken?.(given, tools)
  return { token, request: asked[0] }
}

describe('with the key of a service account', () => {
  test('a signed proof is exchanged for a token', async () => {
    const { token, request } = await fetched(GRANTED, provider(key()))
    assert.deepEqual(token, { values: { access_token: 'ya29.token' }, expiresAt: NOW + 3_599_000 })
    assert.deepEqual([request?.method, request?.url], ['POST', 'https://oauth2.googleapis.com/token'])
    assert.equal(request?.headers['content-type'], 'application/x-www-form-urlencoded')
    const form = new URLSearchParams(String(request?.body))
    assert.equal(form.get('grant_type'), 'urn:ietf:params:oauth:grant-type:jwt-bearer')
    const [header = '', claims = '', signature = ''] = (form.get('assertion') ?? '').split('.')
    const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString())
    assert.deepEqual(read(header), { alg: 'RS256', typ: 'JWT', kid: 'k1' })
    assert.deepEqual(read(claims), {
      iss: 'me@p.example',
      scope: SCOPE,
      aud: 'https://oauth2.googleapis.com/token',
      iat: NOW / 1000,
      exp: NOW / 1000 + 3600,
    })
    assert.ok(createVerify('RSA-SHA256').update(`${header}.${claims}`).verify(publicKey, signature, 'base64url'))
  })

  test('the token is shown as a bearer', async () => {
    const request: OutgoingRequest = { method: 'POST', url: 'https://a', headers: {}, body: null }
    const headers = await authorization.headers(
      request,
      provider(),
      { values: { access_token: 't' }, expiresAt: null },
      NOW,
    )
    assert.deepEqual(headers, { authorization: 'Bearer t' })
    assert.equal(authorization.appliesTo(provider()), true)
    assert.equal(authorization.appliesTo({ ...provider(), apiKey: 'k' }), false)
  })

  const refused = (description: string) => ({
    status: 400,
    text: JSON.stringify({ error: 'invalid_grant', error_description: description }),
  })
  const cases: [what: string, reply: { status: number; text: string }, account: string, words: RegExp][] = [
    [
      'a wrong clock',
      refused(
        'Invalid JWT: Token must be a short-lived token and in a reasonable timeframe. Check your iat and exp values.',
      ),
      key(),
      /^No token for the service account \(invalid_grant .*\. The clock of this machine is off/,
    ],
    ['a deleted key', refused('Invalid JWT Signature.'), key(), /key was deleted/],
    ['a deleted account', refused('Invalid grant: account not found'), key(), /account was deleted or disabled/],
    ['a page of HTML', { status: 502, text: '<html>' }, key(), /^No token for the service account \(status 502\)\.$/],
    ['an answer without a token', { status: 200, text: '{}' }, key(), /^No token/],
    [
      'a private key that is none',
      GRANTED,
      key({ private_key: 'Zq7secret' }),
      /private_key in credentials\.service_account cannot be read/,
    ],
    ['a key that is none', GRANTED, 'Zq7secret', /not the JSON of a key/],
  ]
  for (const [what, reply, account, words] of cases) {
    test(`${what} is told in words, without the key`, async () => {
      await assert.rejects(fetched(reply, provider(account)), (error: Error) => {
        assert.ok(error instanceof AuthorizationError)
        assert.match(error.message, words)
        assert.equal(error.message.includes('Zq7secret') || error.message.includes('BEGIN'), false)
        return true
      })
    })
  }
})

describe('on a machine of the vendor', () => {
  test('its metadata server is asked', async () => {
    const { token, request } = await fetched(GRANTED, provider())
    assert.deepEqual(token?.values, { access_token: 'ya29.token' })
    assert.deepEqual(request, {
      method: 'GET',
      url: `http://metadata.google.internal/computeMetadata/v1/instance/service-accounts/default/token?scopes=${encodeURIComponent(SCOPE)}`,
      headers: { 'metadata-flavor': 'Google' },
      body: null,
      isInternal: true,
    })
    const other = await fetched(GRANTED, provider(), { GCE_METADATA_HOST: '127.0.0.1:8' })
    assert.match(other.request?.url ?? '', /^http:\/\/127\.0\.0\.1:8\/computeMetadata/)
  })

  test('what is missing is told', async () => {
    await assert.rejects(fetched({ status: 404, text: '' }, provider()), /this machine has no service account/)
    await assert.rejects(fetched({ status: 500, text: '' }, provider()), /metadata server answered with status 500/)
    const silent = new AuthorizationError(
      'No token could be fetched: metadata.google.internal does not answer (unreachable).',
    )
    await assert.rejects(
      fetched(silent, provider()),
      /does not answer .* Outside of Google Cloud, set credentials\.service_account\.$/,
    )
    await assert.rejects(fetched(new TypeError('bug'), provider()), TypeError)
  })
})
