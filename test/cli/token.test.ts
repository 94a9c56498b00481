import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { PROGRAM } from '../built-program.ts'
import { AUDIENCE, startIssuer, type TestIssuer } from '../calls/tokens/token-issuer.ts'
import { type Harness, hello, newFolder, startHarness } from '../harness.ts'
import { managing } from '../management/manage.ts'
import { cliOf } from './run-cli.ts'

const folder = newFolder()
let harness: Harness
let issuer: TestIssuer
let environment: Record<string, string>
const manage = managing(() => harness)
const cli = cliOf(() => harness.url)
const token = (more = '') => cli(`token --issuer ${issuer.url} --client-id agents ${more}`, { environment })

before(async () => {
  issuer = await startIssuer()
  issuer.granted = { email: 'anna@example.com', client_id: 'agents' }
  harness = await startHarness()
  environment = { HOME: folder }
  const { id } = (await manage('POST', '/keys', { name: 'developers' })).json
  const rules = [{ when: { client_id: 'agents' }, key_id: id, user: 'email' }]
  const settings = { issuer: issuer.url, audiences: [AUDIENCE], algorithms: ['ES256'], rules }
  assert.equal((await manage('PUT', '/token-issuers/acme', settings)).status, 201)
})
after(async () => {
  await harness.stop()
  await issuer.stop()
  rmSync(folder, { recursive: true, force: true })
})

describe('switchyard token', () => {
  test('without a sign-in says what to run, and prints nothing', async () => {
    const { code, stdout, stderr } = await token()
    assert.deepEqual([code, stdout], [1, ''])
    assert.match(stderr, /not signed in at http.* token --issuer .* --client-id agents --login/)
  })

  test('signs in by the device flow, keeps the token for its user alone, and prints it alone', async () => {
    const login = await token(`--login --audience ${AUDIENCE}`)
    assert.equal(login.code, 0, login.stderr)
    assert.equal(login.stdout, '')
    assert.match(login.stderr, /Open http.*confirm and confirm the code ABCD-EFGH/)
    assert.equal(issuer.forms[0]?.get('audience'), AUDIENCE)
    const place = join(folder, '.cache/switchyard')
    for (const name of readdirSync(place)) assert.equal(statSync(join(place, name)).mode & 0o777, 0o600)
    const sent = issuer.forms.length
    const printed = await token(`--audience ${AUDIENCE}`)
    assert.match(printed.stdout, /^[\w-]+\.[\w-]+\.[\w-]+\n$/)
    assert.equal(printed.stderr, '')
    assert.equal(issuer.forms.length, sent)
    const answer = await harness.chat(hello('gpt-sim-echo'), { authorization: `Bearer ${printed.stdout.trim()}` })
    assert.equal(answer.status, 200, answer.text)
    assert.equal((await harness.rowOf(answer))['end_user'], 'anna@example.com')
  })

  test('a token that is about to expire is renewed; a refused renewal asks for a sign-in', async () => {
    issuer.grantSeconds = 60
    assert.equal((await token('--login')).code, 0)
    const first = await token()
    assert.equal(first.code, 0, first.stderr)
    assert.equal(issuer.forms.at(-1)?.get('refresh_token'), 'refresh-1')
    issuer.refreshToken = 'refresh-2'
    const refused = await token()
    assert.deepEqual([refused.code, refused.stdout], [1, ''])
    assert.match(refused.stderr, /not signed in/)
    assert.doesNotMatch(refused.stderr, /refresh-/)
    issuer.grantSeconds = 600
  })

  for (const [line, words] of [
    ['token --client-id agents', /--issuer is missing/],
    ['token --issuer https://login.example.com', /--client-id is missing/],
    ['token --issuer http://login.example.com --client-id agents', /https/],
    ['connect claude-code --model x --oidc https://login.example.com', /--client-id/],
    ['connect cursor --model x --oidc https://login.example.com --client-id a', /calls no helper/],
  ] as const) {
    test(`${line}: says what is wrong`, async () => {
      const { code, stderr } = await cli(line, { environment })
      assert.equal(code, 2)
      assert.match(stderr, words)
    })
  }
})

test('connect claude-code --oidc prints a helper whose output is a key', async () => {
  const more = `--oidc ${issuer.url} --client-id agents --scope "openid offline_access" --model gpt-sim-echo`
  const { code, stdout, stderr } = await cli(`connect claude-code ${more}`, { environment })
  assert.equal(code, 0, stderr)
  assert.match(stderr, /Sign in once: .* token --issuer .* --scope 'openid offline_access' --login/)
  const { apiKeyHelper, env } = JSON.parse(stdout)
  assert.equal(env.ANTHROPIC_BASE_URL, harness.url)
  // Claude Code runs it by a shell and sends what it prints in both headers.
  mkdirSync(join(folder, 'bin'))
  const script = `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`
  writeFileSync(join(folder, 'bin/switchyard'), script, { mode: 0o755 })
  const shell = { env: { HOME: folder, PATH: `${join(folder, 'bin')}:${process.env['PATH']}` } }
  await promisify(execFile)('sh', ['-c', `${apiKeyHelper} --login`], shell)
  const printed = (await promisify(execFile)('sh', ['-c', apiKeyHelper], shell)).stdout.trim()
  const answer = await fetch(`${harness.url}/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${printed}`, 'x-api-key': printed },
    body: JSON.stringify({ ...hello('gpt-sim-echo'), max_tokens: 50 }),
  })
  assert.equal(answer.status, 200, await answer.text())
})

test('connect codex --oidc prints the command as its parts', async () => {
  const { stdout } = await cli(`connect codex --model x --oidc ${issuer.url} --client-id agents`, { environment })
  assert.match(stdout, /^command = "switchyard"\nargs = \["token","--issuer","http[^"]*","--client-id","agents"\]$/m)
  assert.doesNotMatch(stdout, /env_key/)
})
