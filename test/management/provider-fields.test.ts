import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { rootCertificates } from 'node:tls'
import { FAMILIES } from '../../src/providers/families.ts'
import { PRESETS } from '../../src/providers/presets.ts'
import { ADMIN_KEY, type Harness, startHarness } from '../harness.ts'
import { auditOf, managing } from './manage.ts'

const [CA = '', OTHER_CA = ''] = rootCertificates
const ACCESS = { access_key_id: 'Zq7-access-key-id', secret_access_key: 'Zq7-secret-access-key' }
const MASKED = { access_key_id: '***', secret_access_key: '***' }
const CLOUD = { family: 'bedrock', settings: { region: 'eu-west-1' }, credentials: ACCESS }
const PROXY = 'http://me:Zq7-proxy-password@127.0.0.1:3128'
const SHOWN_PROXY = 'http://me:***@127.0.0.1:3128/'

let harness: Harness
const manage = managing(() => harness)
before(async () => {
  harness = await startHarness()
})
after(() => harness.stop())

const put = (name: string, body: unknown) => manage('PUT', `/providers/${name}`, body)

/** What the gateway would call with. */
const stored = (name: string) => {
  const row = harness.gateway.store.db.selectFrom('providers').selectAll().where('name', '=', name)
  return row.executeTakeFirstOrThrow()
}

describe('credentials', () => {
  test('are shown masked, stay where they are left out or sent back, and null removes them', async () => {
    const made = await put('masked', CLOUD)
    assert.equal(made.status, 201, made.text)
    assert.deepEqual(made.json.credentials, MASKED)
    const before = await stored('masked')
    assert.deepEqual((await put('masked', { family: 'bedrock' })).json.credentials, MASKED)
    const again = await put('masked', { ...CLOUD, credentials: MASKED })
    assert.equal(again.status, 200, again.text)
    assert.deepEqual(await stored('masked'), before, 'nothing has changed')
    const partly = { ...ACCESS, secret_access_key: '***', access_key_id: 'Zq7-other-key-id' }
    await put('masked', { ...CLOUD, credentials: partly })
    assert.notEqual((await stored('masked')).credentials_encrypted, before.credentials_encrypted)
    assert.deepEqual((await put('masked', { ...CLOUD, credentials: null })).json.credentials, {})
    assert.equal((await stored('masked')).credentials_encrypted, null)
    const nothing = await put('masked', { ...CLOUD, credentials: MASKED })
    assert.equal(nothing.status, 400)
    assert.match(nothing.json.error.message, /^credentials\.access_key_id: \*\*\* stands for a stored value/)
  })

  test('are in no answer, no audit row and no export', async () => {
    await put('hidden', { ...CLOUD, proxy: PROXY })
    const answers = [await manage('GET', '/providers/hidden'), await manage('GET', '/providers?limit=200')]
    const exported = await fetch(`${harness.url}/config/export`, { headers: { authorization: `Bearer ${ADMIN_KEY}` } })
    const text = await exported.text()
    assert.match(text, /secret_access_key: \$\{HIDDEN_SECRET_ACCESS_KEY\}/)
    const audit = await auditOf(manage, 'providers/hidden')
    assert.equal(audit.length, 1)
    const row = await stored('hidden')
    assert.doesNotMatch(answers.map((answer) => answer.text).join(text) + JSON.stringify([audit, row]), /Zq7/)
  })

  test('are not given to another server that gives out tokens, though the provider is the same', async () => {
    const entra = { auth: 'entra', tenant_id: 'tenant', client_id: 'client' }
    const body = { preset: 'azure', base_url: 'https://mine.example/openai/v1', settings: entra }
    const made = await put('tokens', { ...body, credentials: { client_secret: 'Zq7-client-secret' } })
    assert.equal(made.status, 201, made.text)
    const moved = await put('tokens', { ...body, settings: { ...entra, authority_url: 'https://elsewhere.example' } })
    assert.equal(moved.status, 400)
    assert.match(moved.json.error.message, /^credentials: would go to another server/)
  })

  test('stay with the server they were given for', async () => {
    await put('homed', { ...CLOUD, settings: { region: 'eu-west-1' } })
    for (const [what, change] of [
      ['another region', { settings: { region: 'us-east-1' } }],
      ['another address', { base_url: 'https://elsewhere.example' }],
      ['another proxy', { proxy: 'http://127.0.0.1:3129' }],
    ] as const) {
      const { credentials: _credentials, ...rest } = CLOUD
      for (const credentials of [{}, { credentials: MASKED }]) {
        const moved = await put('homed', { ...rest, ...change, ...credentials })
        assert.equal(moved.status, 400, what)
        assert.match(moved.json.error.message, /^credentials: would go to another server/)
      }
    }
    assert.equal((await put('homed', { ...CLOUD, settings: { region: 'us-east-1' } })).status, 200)
  })
})

describe('a proxy', () => {
  const LOCAL = { family: 'openai', base_url: 'http://127.0.0.1:9/v1' }

  test('is shown without its password, which stays where the address comes back as it was shown', async () => {
    const made = await put('proxied', { ...LOCAL, proxy: PROXY })
    assert.equal(made.json.proxy, SHOWN_PROXY, made.text)
    const before = await stored('proxied')
    assert.equal((await put('proxied', { ...LOCAL, proxy: SHOWN_PROXY })).json.proxy, SHOWN_PROXY)
    assert.equal((await put('proxied', LOCAL)).json.proxy, SHOWN_PROXY)
    assert.deepEqual(await stored('proxied'), before)
    const elsewhere = await put('proxied', { ...LOCAL, proxy: 'http://me:***@127.0.0.1:3129/' })
    assert.equal(elsewhere.status, 400)
    assert.match(elsewhere.json.error.message, /^proxy: \*\*\* stands for the password of another address/)
    assert.equal((await put('proxied', { ...LOCAL, proxy: '' })).json.proxy, '')
    assert.equal((await put('proxied', { ...LOCAL, proxy: null })).json.proxy, null)
  })

  for (const [proxy, words] of [
    ['proxy.internal:3128', /^proxy: expected http:\/\/host:port/],
    ['socks5://127.0.0.1:1080', /^proxy: expected http:\/\/host:port/],
    ['http://127.0.0.1:3128/path', /^proxy: a proxy has no path/],
    ['http://169.254.169.254:80', /^proxy: 169\.254\.169\.254 is a link-local address: refused/],
  ] as const) {
    test(`${proxy} is refused`, async () => {
      const answer = await put('refused', { ...LOCAL, proxy })
      assert.equal(answer.status, 400)
      assert.match(answer.json.error.message, words)
    })
  }
})

describe('authorities', () => {
  const LOCAL = { family: 'openai', base_url: 'https://127.0.0.1:9/v1' }

  test('are certificates, shown as they are, and null removes them', async () => {
    assert.equal((await put('trusted', { ...LOCAL, ca: `${CA}\n${OTHER_CA}` })).json.ca, `${CA}\n${OTHER_CA}`)
    assert.equal((await put('trusted', LOCAL)).json.ca, `${CA}\n${OTHER_CA}`)
    assert.equal((await put('trusted', { ...LOCAL, ca: null })).json.ca, null)
    const damaged = CA.replace(/[A-Za-z0-9]{20}/, 'A'.repeat(20))
    const key = '-----BEGIN PRIVATE KEY-----\nMIGH\n-----END PRIVATE KEY-----'
    for (const ca of ['', 'authority.pem', damaged, `${CA}\n${key}`]) {
      const answer = await put('trusted', { ...LOCAL, ca })
      assert.equal(answer.status, 400)
      assert.match(answer.json.error.message, /^ca: expected certificates in PEM form/)
    }
  })
})

describe('settings and presets', () => {
  for (const [what, body, words] of [
    ['a setting of no family', { family: 'bedrock', settings: { regoin: 'x' } }, /^settings: unknown field "regoin"/],
    ['a setting of a wrong form', { family: 'bedrock', settings: { region: 7 } }, /^settings\.region: /],
    ['what a family needs', { family: 'bedrock', settings: {} }, /^settings\.region: is missing/],
    [
      'a family without settings',
      { family: 'anthropic', base_url: 'http://127.0.0.1:9', settings: { a: 1 } },
      /^settings\.a: the family 'anthropic' has no settings/,
    ],
    [
      'a credential of no family',
      { ...CLOUD, credentials: { token: 'x' } },
      /^credentials\.token: the family 'bedrock' has access_key_id/,
    ],
    ['a preset that is none', { preset: 'no-such-vendor' }, /^preset: one of .*groq/],
    ['a preset of another family', { family: 'anthropic', preset: 'groq' }, /^preset: /],
  ] as const) {
    test(`${what} is named`, async () => {
      const answer = await put('checked', body)
      assert.equal(answer.status, 400, answer.text)
      assert.match(answer.json.error.message, words)
      assert.equal((await manage('GET', '/providers/checked')).status, 404)
    })
  }

  test('stay until they are set anew; a preset brings family and address', async () => {
    const made = await put('vendor', { preset: 'groq', api_key: 'Zq7-groq' })
    assert.deepEqual(
      [made.status, made.json.family, made.json.preset, made.json.base_url],
      [201, 'openai', 'groq', null],
    )
    const set = await put('vendor', { settings: { max_tokens_field: 'max_tokens' } })
    assert.deepEqual(
      [set.status, set.json.preset, set.json.settings],
      [200, 'groq', { max_tokens_field: 'max_tokens' }],
    )
    assert.deepEqual((await put('vendor', {})).json.settings, { max_tokens_field: 'max_tokens' })
    assert.deepEqual((await put('vendor', { settings: null })).json.settings, {})
  })
})

test('GET /provider-kinds tells families with their settings and credentials, and presets', async () => {
  const { status, json } = await manage('GET', '/provider-kinds')
  assert.equal(status, 200)
  assert.deepEqual(
    json.families.map(({ name }: { name: string }) => name),
    [...FAMILIES.keys()],
  )
  const cloud = json.families.find(({ name }: { name: string }) => name === 'bedrock')
  assert.equal(cloud.is_address_known, true)
  assert.ok(Object.keys(cloud.settings.properties).includes('region'))
  assert.deepEqual(cloud.credentials, ['access_key_id', 'secret_access_key', 'session_token'])
  assert.equal(cloud.on_caller_left, 'drain')
  assert.equal(json.families.find(({ name }: { name: string }) => name === 'anthropic').settings, null)
  assert.equal(json.presets.length, PRESETS.size)
  assert.ok(json.presets.every(({ family }: { family: string }) => FAMILIES.has(family)))
})
