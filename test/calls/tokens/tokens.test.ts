import assert from 'node:assert/strict'
import { createHmac, createPublicKey, randomBytes } from 'node:crypto'
import { after, before, beforeEach, describe, test } from 'node:test'
import { type Harness, hello, type Json, startHarness } from '../../harness.ts'
import { managing } from '../../management/manage.ts'
import { AUDIENCE, encoded, newIssuerKey, signed, startIssuer, type TestIssuer } from './token-issuer.ts'

let harness: Harness
let issuer: TestIssuer
/** Knows nothing of this gateway, or the gateway nothing of it. */
let stranger: TestIssuer
const keys: Record<string, string> = {}
const manage = managing(() => harness)

const RULES = () => [
  { when: { team: 'search' }, key_id: keys['search'], user: 'email', tags: { repo: 'repository' } },
  { when: { groups: 'platform' }, key_id: keys['platform'], session: 'run_id' },
  {
    when: { 'kubernetes.io/namespace': ['batch', 'jobs'] },
    key_id: keys['batch'],
    user: 'kubernetes.io/serviceaccount/name',
  },
]
const settings = (more: object = {}) => ({
  issuer: issuer.url,
  audiences: [AUDIENCE],
  algorithms: ['ES256'],
  rules: RULES(),
  ...more,
})
const put = async (more: object = {}, name = 'acme') => {
  const answer = await manage('PUT', `/token-issuers/${name}`, settings(more))
  assert.ok([200, 201].includes(answer.status), answer.text)
  return answer
}
const sumOf = (figures: ReadonlyMap<unknown, number>) => [...figures.values()].reduce((sum, one) => sum + one, 0)
const SEARCH = { team: 'search', email: 'anna@example.com' }
const call = (token: string, model = 'gpt-sim-echo', more: Record<string, unknown> = {}) =>
  harness.chat(hello(model, more), { authorization: `Bearer ${token}` })

before(async () => {
  issuer = await startIssuer()
  stranger = await startIssuer()
  harness = await startHarness()
  assert.equal((await manage('POST', '/workspaces', { name: 'research' })).status, 201)
  const make = async (name: string, workspace: string, body: object = {}) => {
    const answer = await manage('POST', `/keys?workspace=${workspace}`, { name, ...body })
    keys[name] = answer.json.id
  }
  await make('search', 'research', { allowed_models: ['gpt-sim-echo'] })
  await make('platform', 'default')
  await make('batch', 'default')
})
after(async () => {
  await harness.stop()
  await issuer.stop()
  await stranger.stop()
})
beforeEach(() => put())

describe('a token of a configured issuer', () => {
  test('is a call of the key of the first rule that matches, for the user that the token names', async () => {
    const answer = await call(issuer.token({ ...SEARCH, repository: 'acme/api' }), 'gpt-sim-echo', {
      user: 'somebody-else',
      metadata: { repo: 'a lie', run: '7' },
    })
    assert.equal(answer.status, 200, answer.text)
    const row = await harness.rowOf(answer)
    assert.equal(row['key_id'], keys['search'])
    assert.equal(row['workspace'], 'research')
    assert.equal(row['end_user'], 'anna@example.com')
    assert.deepEqual(JSON.parse(String(row['tags'])), { repo: 'acme/api', run: '7' })
  })

  test('names its session where the caller names none', async () => {
    const token = issuer.token({ groups: ['staff', 'platform'], run_id: 4711 })
    assert.equal((await harness.rowOf(await call(token)))['session'], '4711')
    const named = await harness.chat(hello('gpt-sim-echo'), {
      authorization: `Bearer ${token}`,
      'x-gateway-session': 'mine',
    })
    assert.equal((await harness.rowOf(named))['session'], 'mine')
  })

  test('matches by a claim within a claim', async () => {
    const account = (namespace: string) => ({
      sub: `system:serviceaccount:${namespace}:importer`,
      'kubernetes.io': { namespace, serviceaccount: { name: 'importer' } },
    })
    const answer = await call(issuer.token(account('batch')))
    assert.equal(answer.status, 200, answer.text)
    const row = await harness.rowOf(answer)
    assert.deepEqual([row['key_id'], row['end_user']], [keys['batch'], 'importer'])
    assert.equal((await call(issuer.token(account('batch-2')))).status, 403)
  })

  test('has the limits of its key: models, pause, and what GET /v1/key says', async () => {
    const token = issuer.token(SEARCH)
    assert.equal((await call(token, 'gpt-4o-mini')).status, 403)
    const told = await harness.get('/v1/key', { 'x-api-key': token })
    assert.deepEqual([told.status, told.json.name, told.json.workspace], [200, 'search', 'research'])
    const models = await harness.get('/v1/models', { authorization: `Bearer ${token}` })
    assert.deepEqual(
      models.json.data.map(({ id }: Json) => id),
      ['gpt-sim-echo'],
    )
    await manage('POST', `/keys/${keys['search']}/pause`)
    assert.equal((await call(token)).status, 403)
    await manage('POST', `/keys/${keys['search']}/resume`)
    assert.equal((await call(token)).status, 200)
  })

  test('without a rule that matches is refused with the name of the issuer and nothing of the token', async () => {
    for (const claims of [{ team: 'search-evil', email: 'x@example.com' }, { groups: ['Platform'] }, {}]) {
      const answer = await call(issuer.token(claims))
      assert.equal(answer.status, 403)
      assert.match(answer.text, /No rule of the token issuer 'acme' accepts this token/)
      assert.doesNotMatch(answer.text, /search-evil|anna/)
    }
    // The rule needs an email to name the user by.
    assert.equal((await call(issuer.token({ team: 'search' }))).status, 403)
  })

  test('is no admin key', async () => {
    const answer = await manage('GET', '/keys', undefined, { authorization: `Bearer ${issuer.token(SEARCH)}` })
    assert.equal(answer.status, 401)
  })

  test('is verified once: the next calls do not ask the issuer, which may be down', async () => {
    const token = issuer.token(SEARCH)
    assert.equal((await call(token)).status, 200)
    const { reads } = issuer
    issuer.isDown = true
    try {
      for (let n = 0; n < 3; n++) assert.equal((await call(token)).status, 200)
      // Another token too: the keys are kept.
      assert.equal((await call(issuer.token(SEARCH))).status, 200)
    } finally {
      issuer.isDown = false
    }
    assert.equal(issuer.reads, reads)
  })
})

describe('what ends a token that has been used', () => {
  const ends: [what: string, end: (token: string) => Promise<unknown>, status: number][] = [
    ['its subject is revoked', () => manage('POST', '/token-issuers/acme/revocations', { value: 'bob' }), 401],
    [
      'the token itself is revoked',
      () => manage('POST', '/token-issuers/acme/revocations', { claim: 'jti', value: 'the-one' }),
      401,
    ],
    ['the rules change', () => put({ rules: [] }), 403],
    ['another audience is asked for', () => put({ audiences: ['https://other.example'] }), 401],
    ['the issuer is switched off', () => put({ enabled: false }), 401],
    ['the issuer is deleted', () => manage('DELETE', '/token-issuers/acme'), 401],
  ]
  for (const [what, end, status] of ends) {
    test(what, async () => {
      const token = issuer.token({ ...SEARCH, sub: 'bob', jti: 'the-one' })
      const other = issuer.token({ ...SEARCH, sub: 'eve' })
      assert.equal((await call(token)).status, 200)
      assert.equal((await call(other)).status, 200)
      await end(token)
      assert.equal((await call(token)).status, status)
      if (what.endsWith('is revoked')) assert.equal((await call(other)).status, 200)
      await manage('DELETE', '/token-issuers/acme')
      await put()
      assert.equal((await call(token)).status, 200)
    })
  }

  test('is counted by issuer and reason, with nothing that a token says', async () => {
    const now = Math.floor(Date.now() / 1_000)
    const strange = newIssuerKey('strange')
    const { json: paused } = await manage('POST', '/keys', { name: 'paused' })
    await manage('POST', `/keys/${paused.id}/pause`)
    const refused: [reason: string, token: string, settings?: object][] = [
      ['revoked', issuer.token({ ...SEARCH, sub: 'counted' })],
      ['no_rule', issuer.token({ team: 'nobody' })],
      ['expired', issuer.token({ ...SEARCH, iat: now - 900, exp: now - 300 })],
      ['not_yet_valid', issuer.token({ ...SEARCH, nbf: now + 300 })],
      ['audience', issuer.token({ ...SEARCH, aud: 'https://other.example' })],
      ['subject', issuer.token({ ...SEARCH, sub: '' })],
      ['lifetime', issuer.token({ ...SEARCH, exp: now + 3 * 86_400 })],
      ['algorithm', issuer.token(SEARCH, { header: { alg: 'RS256' } })],
      ['signature', issuer.token(SEARCH, { key: { ...strange, kid: 'first' } })],
      ['client', issuer.token(SEARCH), { clients: ['other'] }],
      ['key', issuer.token(SEARCH), { rules: [{ when: { team: 'search' }, key_id: paused.id }] }],
    ]
    await manage('POST', '/token-issuers/acme/revocations', { value: 'counted' })
    const figures = async () => {
      const lines = (await harness.get('/metrics')).text.split('\n')
      const found = lines.filter((line) => line.startsWith('switchyard_token_refusals_total{'))
      return new Map(found.map((line) => [line.split(' ')[0], Number(line.split(' ')[1])]))
    }
    for (const [reason, token, more] of refused) {
      await put(more)
      const name = `switchyard_token_refusals_total{issuer="acme",reason="${reason}"}`
      const before = await figures()
      assert.ok((await call(token)).status >= 401, reason)
      const after = await figures()
      assert.equal(after.get(name), (before.get(name) ?? 0) + 1, reason)
      assert.equal(sumOf(after), sumOf(before) + 1, `${reason} alone`)
    }
    await manage('DELETE', '/token-issuers/acme/revocations/sub/counted')
    // What names no issuer of ours is an unknown key.
    const before = sumOf(await figures())
    assert.equal((await call(stranger.token(SEARCH))).status, 401)
    assert.equal((await call('gw_live_unknown0000000000000000000000000')).status, 401)
    assert.equal(sumOf(await figures()), before)
    assert.ok([...(await figures()).keys()].every((name) => /^\w+\{issuer="acme",reason="\w+"\}$/.test(name ?? '')))
  })

  test('a revocation is listed, ends by itself and can be taken back', async () => {
    const token = issuer.token({ ...SEARCH, sub: 'kim/1' })
    const past = { value: 'kim/1', until: '2020-01-01T00:00:00Z' }
    assert.equal((await manage('POST', '/token-issuers/acme/revocations', past)).status, 400)
    const made = await manage('POST', '/token-issuers/acme/revocations', { value: 'kim/1' })
    assert.equal(made.status, 201, made.text)
    assert.equal((await call(token)).status, 401)
    const listed = await manage('GET', '/token-issuers/acme/revocations')
    assert.deepEqual(
      listed.json.data.map(({ value }: Json) => value),
      ['kim/1'],
    )
    const path = '/token-issuers/acme/revocations/sub/kim%2F1'
    assert.equal((await manage('DELETE', path)).status, 204)
    assert.equal((await call(token)).status, 200)
    assert.equal((await manage('DELETE', path)).status, 404)
  })
})

describe('what is refused, in the words that an unknown key gets', () => {
  const now = () => Math.floor(Date.now() / 1_000)
  /** Signed as an attacker can: with the issuer's public key as a shared secret. */
  const confused = (spelling: string | Buffer) => {
    const text = `${encoded({ alg: 'HS256', typ: 'JWT', kid: 'first' })}.${encoded(claims())}`
    return `${text}.${createHmac('sha256', spelling).update(text).digest('base64url')}`
  }
  const claims = () => ({ iss: issuer.url, aud: AUDIENCE, sub: 'anna', iat: now(), exp: now() + 60, ...SEARCH })
  const publicKey = () => createPublicKey({ key: issuer.keys[0]?.jwk as Json, format: 'jwk' })
  const own = newIssuerKey('first')
  const attacks: [what: string, token: () => string][] = [
    ['alg none, without a signature', () => `${encoded({ alg: 'none', typ: 'JWT' })}.${encoded(claims())}.`],
    ['alg none, with one', () => `${encoded({ alg: 'none', typ: 'JWT' })}.${encoded(claims())}.AAAA`],
    ['alg nOnE', () => issuer.token(SEARCH, { header: { alg: 'nOnE' } })],
    ['HS256 with the public key (PEM)', () => confused(publicKey().export({ type: 'spki', format: 'pem' }))],
    ['HS256 with the public key (DER)', () => confused(publicKey().export({ type: 'spki', format: 'der' }))],
    ['HS256 with the public key (JWK)', () => confused(JSON.stringify(issuer.keys[0]?.jwk))],
    ['an algorithm that is not listed', () => issuer.token(SEARCH, { header: { alg: 'RS256' } })],
    ['a key of the attacker under the right id', () => issuer.token(SEARCH, { key: own })],
    ['a key of the attacker in the header', () => issuer.token(SEARCH, { key: own, header: { jwk: own.jwk } })],
    [
      'an address of keys in the header',
      () => issuer.token(SEARCH, { key: own, header: { jku: `${stranger.url}/keys` } }),
    ],
    [
      'a certificate address in the header',
      () => issuer.token(SEARCH, { key: own, header: { x5u: `${stranger.url}/keys` } }),
    ],
    ['a key id that is a path', () => issuer.token(SEARCH, { key: own, header: { kid: '../../../dev/null' } })],
    ['a key id that is SQL', () => issuer.token(SEARCH, { key: own, header: { kid: "x' UNION SELECT 'AAAA" } })],
    ['a key id that is no text', () => issuer.token(SEARCH, { header: { kid: ['first'] } })],
    ['another key of the same issuer', () => issuer.token(SEARCH, { key: newIssuerKey('second') })],
    ['an unknown issuer', () => stranger.token(SEARCH)],
    ['an unknown issuer with our name', () => stranger.token({ ...SEARCH, iss: issuer.url })],
    ['our issuer with a slash', () => issuer.token({ ...SEARCH, iss: `${issuer.url}/` })],
    ['no issuer', () => issuer.token({ ...SEARCH, iss: undefined })],
    ['another audience', () => issuer.token({ ...SEARCH, aud: 'https://other.example' })],
    ['no audience', () => issuer.token({ ...SEARCH, aud: undefined })],
    ['an audience that begins like ours', () => issuer.token({ ...SEARCH, aud: `${AUDIENCE}.evil` })],
    ['ours among other audiences, without clients', () => issuer.token({ ...SEARCH, aud: [AUDIENCE, 'other'] })],
    ['expired by 61 seconds', () => issuer.token({ ...SEARCH, iat: now() - 600, exp: now() - 61 })],
    ['no expiry', () => issuer.token({ ...SEARCH, exp: undefined })],
    ['an expiry that is text', () => issuer.token({ ...SEARCH, exp: String(now() + 60) })],
    ['not before a later time', () => issuer.token({ ...SEARCH, nbf: now() + 120 })],
    ['issued in the future', () => issuer.token({ ...SEARCH, iat: now() + 120 })],
    ['valid for ten years', () => issuer.token({ ...SEARCH, exp: now() + 315_360_000 })],
    ['no subject', () => issuer.token({ ...SEARCH, sub: undefined })],
    ['an empty subject', () => issuer.token({ ...SEARCH, sub: '' })],
    ['a type for other purposes', () => issuer.token(SEARCH, { header: { typ: 'logout+jwt' } })],
    ['a critical extension', () => issuer.token(SEARCH, { header: { crit: ['b64'], b64: true } })],
    [
      'a name twice',
      () => {
        const key = issuer.keys[0] as Json
        const text = JSON.stringify(claims()).replace('{', '{"aud":"other",')
        return signed(
          `${encoded({ alg: 'ES256', kid: key.kid })}.${Buffer.from(text).toString('base64url')}`,
          key.privateKey,
        )
      },
    ],
    ['a padded part', () => issuer.token(SEARCH).replace('.', '=.')],
    [
      'a changed claim',
      () => {
        const [head, , signature] = issuer.token(SEARCH).split('.')
        return `${head}.${encoded({ ...claims(), sub: 'root' })}.${signature}`
      },
    ],
    ['a signature cut off', () => issuer.token(SEARCH).slice(0, -4)],
    ['a signature of zeros', () => `${issuer.token(SEARCH).split('.').slice(0, 2).join('.')}.${'A'.repeat(86)}`],
    [
      'a signature in DER',
      () => {
        const [head, body] = issuer.token(SEARCH).split('.')
        return `${head}.${body}.MEUCIQ${'A'.repeat(80)}`
      },
    ],
    ['more than 8 KiB', () => issuer.token({ ...SEARCH, pad: 'x'.repeat(7_000) })],
    ['a long header', () => issuer.token(SEARCH, { header: { pad: 'x'.repeat(1_100) } })],
    ['four parts', () => `${issuer.token(SEARCH)}.AAAA`],
    ['no JSON', () => `${randomBytes(30).toString('base64url')}.AAAA.AAAA`],
    [
      'JSON too deep',
      () => `${encoded({ alg: 'ES256' })}.${Buffer.from('['.repeat(4_000)).toString('base64url')}.AAAA`,
    ],
    ['a key with two dots', () => 'sk.abc.def'],
  ]
  for (const [what, token] of attacks) {
    test(what, async () => {
      assert.equal((await call(issuer.token(SEARCH))).status, 200)
      const sent = token()
      const answer = await call(sent)
      assert.equal(answer.status, 401, answer.text)
      assert.equal(answer.json.error.message, 'The gateway key is unknown, expired or revoked.')
      // Not even twice.
      assert.equal((await call(sent)).status, 401)
      assert.deepEqual(stranger.asked, [])
    })
  }

  test('a forged token that shares all but its signature with one that is remembered', async () => {
    const token = issuer.token(SEARCH)
    assert.equal((await call(token)).status, 200)
    const at = token.lastIndexOf('.') + 1
    const text = token.slice(0, at - 1)
    const last = token.at(-1) === 'A' ? 'Q' : 'A'
    for (const forged of [
      token.slice(0, -1) + last,
      `${token}A`,
      signed(text, newIssuerKey('first').privateKey),
      `${text.slice(0, 200)}${token.slice(200).replace(/[a-y]/, 'z')}`,
    ]) {
      assert.equal((await call(forged)).status, 401)
    }
    assert.equal((await call(token)).status, 200)
  })

  test('two tokens with one header, each its own user', async () => {
    const users = ['ada@example.com', 'bob@example.com']
    for (const email of [...users, ...users]) {
      const row = await harness.rowOf(await call(issuer.token({ ...SEARCH, email })))
      assert.equal(row['end_user'], email)
    }
  })
})

describe('keys of an issuer', () => {
  test('a new key is read once when a token names it; a key that is gone no longer counts', async () => {
    const old = issuer.token(SEARCH)
    assert.equal((await call(old)).status, 200)
    const [first] = issuer.keys
    const second = newIssuerKey('rotated')
    issuer.keys = [second]
    try {
      // Other settings are another key set: the pause between two reads does not apply.
      await put({ max_token_seconds: 3_600 })
      const reads = issuer.reads
      assert.equal((await call(issuer.token(SEARCH, { key: second }))).status, 200)
      assert.equal((await call(issuer.token(SEARCH, { key: first as Json }))).status, 401)
      assert.equal((await call(old)).status, 401)
      assert.equal(issuer.reads, reads + 1)
    } finally {
      issuer.keys = [first as Json]
    }
  })

  test('made-up key ids do not become requests to the issuer', async () => {
    await put({ max_token_seconds: 3_601 })
    assert.equal((await call(issuer.token(SEARCH))).status, 200)
    const { reads } = issuer
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => call(issuer.token(SEARCH, { header: { kid: `made-up-${n}` } }))),
    )
    assert.ok(answers.every(({ status }) => status === 401))
    assert.ok(issuer.reads <= reads + 1)
  })

  test('a discovery document of another issuer is not believed', async () => {
    issuer.namedIssuer = stranger.url
    try {
      await put({ max_token_seconds: 3_602 })
      assert.equal((await call(issuer.token(SEARCH))).status, 401)
    } finally {
      issuer.namedIssuer = issuer.url
    }
  })

  test('keys in the settings need no request', async () => {
    const { asked } = issuer
    await put({ jwks: { keys: issuer.keys.map(({ jwk }) => jwk) } })
    const before = asked.length
    assert.equal((await call(issuer.token(SEARCH))).status, 200)
    assert.equal(asked.length, before)
  })

  test('clients', async () => {
    await put({ clients: ['cli'] })
    for (const [more, status] of [
      [{ azp: 'cli' }, 200],
      [{ client_id: 'cli', aud: [AUDIENCE, 'other'] }, 200],
      [{ azp: 'web' }, 401],
      [{ azp: 'web', client_id: 'cli' }, 401],
      [{}, 401],
    ] as const) {
      assert.equal((await call(issuer.token({ ...SEARCH, ...more }))).status, status, JSON.stringify(more))
    }
  })
})

describe('settings', () => {
  for (const [what, more, words] of [
    ['a shared secret', { algorithms: ['HS256'] }, /algorithms/],
    ['no audience', { audiences: [] }, /audience/],
    ['a rule for every token', { rules: [{ when: {}, key_id: 'x' }] }, /at least one claim/],
    [
      'a key that is not there',
      { issuer: 'https://login.example.com', rules: [{ when: { a: 'b' }, key_id: 'nothing' }] },
      /rules\[0\]\.key_id/,
    ],
    ['an issuer without TLS', { issuer: 'http://login.example.com' }, /https/],
    ['keys at a metadata address', { jwks_url: 'https://169.254.169.254/keys' }, /link-local/],
    ['a private key', { jwks: { keys: [{ kty: 'EC', d: 'x' }] } }, /public keys only/],
    ['a shared secret as a key', { jwks: { keys: [{ kty: 'oct', k: 'x' }] } }, /kty/],
  ] as const) {
    test(`${what} is refused`, async () => {
      const answer = await manage('PUT', '/token-issuers/other', settings(more))
      assert.equal(answer.status, 400, answer.text)
      assert.match(answer.text, words)
    })
  }

  test('an issuer has one set of rules', async () => {
    assert.equal((await manage('PUT', '/token-issuers/twice', settings())).status, 409)
  })
})
