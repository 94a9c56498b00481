import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { parse } from 'yaml'
import { AUDIENCE, startIssuer, type TestIssuer } from '../calls/tokens/token-issuer.ts'
import { ADMIN_KEY, type Harness, hello, type Json, startHarness } from '../harness.ts'
import { managing } from '../management/manage.ts'

let harness: Harness
let issuer: TestIssuer
const manage = managing(() => harness)

before(async () => {
  issuer = await startIssuer()
  harness = await startHarness()
})
after(async () => {
  await harness?.stop()
  await issuer?.stop()
})

const file = (more: Json = {}): Json => ({
  workspaces: { team: { keys: { ci: { limits: { rpm: 60 } } } } },
  token_issuers: {
    github: {
      issuer: issuer.url,
      audiences: [AUDIENCE],
      algorithms: ['ES256'],
      rules: [{ when: { repo: 'acme/api' }, key: 'ci', workspace: 'team' }],
    },
  },
  key_templates: { developers: { workspace: 'team', max_keys: 3, limits: { rpm: 5 } } },
  ...more,
})
const plan = async (config: Json, prune = false): Promise<string[]> => {
  const { status, json, text } = await manage('POST', `/config/plan?prune=${prune}`, config)
  assert.equal(status, 200, text)
  return json.changes.map(({ kind, resource }: Json) => `${kind} ${resource}`)
}
const apply = async (config: Json, prune = false): Promise<Json> => {
  const { status, json, text } = await manage('POST', `/config/apply?prune=${prune}`, config)
  assert.equal(status, 200, text)
  return json
}
const call = (token: string) => harness.chat(hello('gpt-sim-echo'), { authorization: `Bearer ${token}` })

test('a file makes issuers, with keys that it makes itself, and templates', async () => {
  const planned = await plan(file())
  assert.deepEqual(planned, [
    'create workspaces/team',
    'create keys/ci',
    'create token-issuers/github',
    'create key-templates/developers',
  ])
  await apply(file())
  assert.deepEqual(await plan(file()), [])
  const token = issuer.token({ repo: 'acme/api' })
  const answer = await call(token)
  assert.equal(answer.status, 200, answer.text)
  const row = await harness.rowOf(answer)
  assert.equal(row['workspace'], 'team')
  const made = (await manage('POST', '/me/keys', { name: 'laptop', template: 'developers' })).json
  assert.deepEqual([made.workspace, made.limits], ['team', { rpm: 5 }])
})

test('what a file set is changed there: 409, but revocations go on', async () => {
  const present = (await manage('GET', '/token-issuers/github')).json
  const { name: _, created_at: __, updated_at: ___, managed_by: managedBy, ...settings } = present
  assert.equal(managedBy, 'config')
  const refusals = [
    await manage('PUT', '/token-issuers/github', { ...settings, enabled: false }),
    await manage('DELETE', '/token-issuers/github'),
    await manage('PUT', '/key-templates/developers', { workspace: 'team' }),
    await manage('DELETE', '/key-templates/developers'),
  ]
  for (const { status, json } of refusals) assert.deepEqual([status, json.error?.code], [409, 'managed_by_config'])
  const { data } = (await manage('GET', '/key-templates')).json
  assert.deepEqual(
    data.map(({ name, managed_by: by }: Json) => [name, by]),
    [['developers', 'config']],
  )
  const revoked = await manage('POST', '/token-issuers/github/revocations', { value: 'bob' })
  assert.equal(revoked.status, 201, revoked.text)
  assert.equal((await call(issuer.token({ repo: 'acme/api', sub: 'bob' }))).status, 401)
})

test('a change is planned by its fields; the export is a file that changes nothing', async () => {
  const { github } = file().token_issuers
  const wider = { ...github, rules: [...github.rules, { when: { repo: 'acme/web' }, key: 'ci', workspace: 'team' }] }
  const changed = file({ token_issuers: { github: wider } })
  const { json } = await manage('POST', '/config/plan', changed)
  assert.deepEqual(
    json.changes.map(({ kind, resource, fields }: Json) => [kind, resource, fields.map(({ field }: Json) => field)]),
    [['update', 'token-issuers/github', ['rules']]],
  )
  const exported = parse(await exportText())
  assert.deepEqual(exported.token_issuers.github, {
    ...{ issuer: issuer.url, audiences: [AUDIENCE], algorithms: ['ES256'] },
    rules: github.rules,
  })
  assert.deepEqual(exported.key_templates, file().key_templates)
  const { token_issuers: issuers, key_templates: templates } = exported
  assert.deepEqual(await plan(file({ token_issuers: issuers, key_templates: templates })), [])
})

for (const [what, more, words] of [
  ['a key that is not there', { rules: [{ when: { a: 'b' }, key: 'none' }] }, /rules\[0\]\.key: 'default' has no/],
  ['a key by name and by id', { rules: [{ when: { a: 'b' }, key: 'ci', key_id: 'x' }] }, /name the key by/],
  ['no claim', { rules: [{ when: {}, key: 'ci', workspace: 'team' }] }, /name at least one claim/],
] as const) {
  test(`is refused with its place: ${what}`, async () => {
    const broken = file({ token_issuers: { github: { ...file().token_issuers.github, ...more } } })
    const { status, json } = await manage('POST', '/config/plan', broken)
    assert.equal(status, 400)
    assert.match(json.error.message, words)
    assert.match(json.error.message, /token_issuers\.github/)
  })
}

test('what it no longer names goes with --prune, but for a template whose keys work', async () => {
  const rest = { workspaces: file().workspaces }
  const left = await apply(rest)
  assert.deepEqual(left.not_in_file.map(({ resource }: Json) => resource).sort(), [
    'key-templates/developers',
    'token-issuers/github',
  ])
  assert.equal((await call(issuer.token({ repo: 'acme/api' }))).status, 200, 'without --prune it stays')
  const planned = await plan(rest, true)
  assert.deepEqual(planned, ['delete token-issuers/github', 'release key-templates/developers'])
  await apply(rest, true)
  assert.equal((await call(issuer.token({ repo: 'acme/api' }))).status, 401)
  const { data } = (await manage('GET', '/key-templates')).json
  assert.deepEqual([data[0].name, data[0].managed_by], ['developers', null])
  assert.deepEqual(await plan(rest, true), [])
  // Set by hand and named by a file, it becomes the file's; without working keys it goes.
  assert.deepEqual((await plan(file())).sort(), ['create token-issuers/github', 'take_over key-templates/developers'])
  await apply(file())
  for (const { id } of (await manage('GET', '/me/keys')).json.data) await manage('DELETE', `/me/keys/${id}`)
  assert.deepEqual(await plan(rest, true), ['delete token-issuers/github', 'delete key-templates/developers'])
})

async function exportText(): Promise<string> {
  const response = await fetch(`${harness.url}/config/export`, { headers: { authorization: `Bearer ${ADMIN_KEY}` } })
  return response.text()
}
