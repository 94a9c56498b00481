import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { AZURE_KEY, type AzureSimulator, CLIENT_SECRET, startAzure } from '../../../simulator/vendors/azure.ts'
import { ADMIN_KEY, type Harness, hello, type Json, type Row, startHarness } from '../../harness.ts'

let azure: AzureSimulator
let harness: Harness
const clock = { now: Date.now() }

before(async () => {
  azure = await startAzure()
  const dated = 'path_style: azure_deployment, api_version: "2024-10-21"'
  const entra = `auth: entra, tenant_id: t1, client_id: c1, authority_url: "${azure.url}"`
  harness = await startHarness({
    now: () => clock.now,
    environment: { SECRET: CLIENT_SECRET, KEY_OF_AZURE: AZURE_KEY },
    config: `providers:
  v1: { preset: azure, base_url: "${azure.url}", api_key: "\${KEY_OF_AZURE}" }
  dated: { preset: azure, base_url: "${azure.url}", api_key: "\${KEY_OF_AZURE}", settings: { ${dated} } }
  wrong: { preset: azure, base_url: "${azure.url}", api_key: "\${KEY_OF_AZURE}", settings: { path_style: azure_deployment, api_version: "1999-01-01" } }
  entra: { preset: azure, base_url: "${azure.url}", settings: { ${entra} }, credentials: { client_secret: "\${SECRET}" } }
  bad: { preset: azure, base_url: "${azure.url}", settings: { ${entra} }, credentials: { client_secret: not-the-secret-0000 } }
workspaces:
  default:
    streaming: true
    routes:
      filtered: { chain: [ { provider: v1, model: filtered }, { provider: dated, model: gpt-4o } ] }
      missing: { chain: [ { provider: dated, model: missing }, { provider: v1, model: gpt-4o } ] }
      full: { chain: [ { provider: v1, model: full }, { provider: dated, model: gpt-4o } ] }
`,
  })
})
after(async () => {
  await harness?.stop()
  await azure?.close()
})

function statusesOf(row: Row): number[] {
  return (JSON.parse(String(row['attempts'])) as Json[]).map(({ status }) => status)
}

async function tested(name: string): Promise<Json> {
  const response = await fetch(`${harness.url}/providers/${name}/test`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ADMIN_KEY}` },
  })
  return response.json()
}

describe('both doors', () => {
  for (const name of ['v1', 'dated']) {
    test(`${name}: whole and streamed, with the key in its own header`, async () => {
      const answer = await harness.chat(hello(`${name}/my-gpt`))
      assert.equal(answer.status, 200, answer.text)
      const path = azure.paths.at(-1)
      const isDated = name === 'dated'
      assert.equal(
        path,
        isDated ? '/openai/deployments/my-gpt/chat/completions?api-version=2024-10-21' : '/openai/v1/chat/completions',
      )
      const { 'api-key': key, authorization } = azure.headers.at(-1) ?? {}
      assert.deepEqual([key, authorization], [AZURE_KEY, undefined])
      const attempts = JSON.parse(String((await harness.rowOf(answer))['attempts']))
      assert.match(attempts[0].upstreamRequestId, /^req_/)
      const streamed = await harness.chat(hello(`${name}/my-gpt`, { stream: true }))
      assert.match(streamed.text, /prompt_filter_results/)
      assert.match(streamed.text, /data: \[DONE\]/)
    })

    test(`${name}: embeddings`, async () => {
      const answer = await harness.embed({ model: `${name}/text-embedding-3-small`, input: 'hi' })
      assert.equal(answer.status, 200, answer.text)
      assert.match(
        azure.paths.at(-1) ?? '',
        name === 'dated' ? /deployments\/text-embedding-3-small\// : /v1\/embeddings/,
      )
    })

    test(`${name}: responses, in the body's own words`, async () => {
      const body = JSON.stringify({ model: `${name}/my-gpt`, input: 'hi' })
      const headers = {
        authorization: 'Bearer gw_live_test0000000000000000000000000000',
        'content-type': 'application/json',
      }
      const response = await fetch(`${harness.url}/v1/responses`, { method: 'POST', headers, body })
      assert.equal(response.status, 200, await response.text())
      assert.match(
        azure.paths.at(-1) ?? '',
        name === 'dated' ? /^\/openai\/responses\?api-version=/ : /^\/openai\/v1\/responses$/,
      )
    })
  }
})

describe('an error', () => {
  test('of the filter passes as it is, and nobody else is asked', async () => {
    const error = { code: 'content_filter', message: 'filtered', innererror: { code: 'ResponsibleAIPolicyViolation' } }
    azure.script('filtered', [{ status: 400, body: { error } }])
    const answer = await harness.chat(hello('filtered'))
    assert.deepEqual([answer.status, answer.json.error.code], [400, 'content_filtered'])
    assert.equal(azure.calls.at(-1)?.model, 'filtered')
  })

  test('of a deployment that is not there names both causes, and the next entry is asked', async () => {
    const answer = await harness.chat(hello('missing'))
    assert.equal(answer.status, 200, answer.text)
    const alone = await harness.chat(hello('dated/missing'))
    assert.equal(alone.json.error.code, 'model_not_found')
    assert.match(alone.json.error.message, /no deployment has this name, or the path or the api-version/)
  })

  test('of a full deployment says in milliseconds when to come back', async () => {
    const busy = { status: 429, headers: { 'retry-after-ms': '3' } }
    azure.script('full', [busy])
    const answer = await harness.chat(hello('full'))
    assert.equal(answer.status, 200, answer.text)
    assert.equal((await harness.rowOf(answer))['provider'], 'v1', 'the wait was short')
    azure.script('full', [{ status: 429, headers: { 'retry-after-ms': '3600000' } }])
    const other = await harness.chat(hello('full'))
    assert.equal((await harness.rowOf(other))['provider'], 'dated')
  })

  test('a redirect is not followed: the key would go with it', async () => {
    const before = azure.paths.length
    azure.script('moved', [{ status: 307, headers: { location: `${azure.url}/elsewhere` }, body: '' }])
    const answer = await harness.chat(hello('v1/moved'))
    assert.equal(answer.json.error.code, 'upstream_error')
    assert.equal(azure.paths.slice(before).includes('/elsewhere'), false)
  })
})

describe('an application', () => {
  test('fetches one token for many calls, and another when it is refused', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => harness.chat(hello('entra/my-gpt'))))
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200],
    )
    assert.equal(azure.tokens.given, 1)
    assert.equal(azure.headers.at(-1)?.['authorization'], 'Bearer token-1')
    azure.expireTokens()
    clock.now += 120_000
    const again = await harness.chat(hello('entra/my-gpt'))
    assert.equal(again.status, 200, again.text)
    assert.equal(azure.tokens.given, 2)
    assert.deepEqual(statusesOf(await harness.rowOf(again)), [401, 200])
  })

  test('is refused for good after one new token, and a role that is missing is not a matter of tokens', async () => {
    const denied = (status: number) => ({ status, body: { error: { code: String(status), message: 'no' } } })
    clock.now += 120_000
    azure.script('closed', [denied(401), denied(401), denied(401)])
    const failed = await harness.chat(hello('entra/closed'))
    assert.equal(failed.json.error.code, 'provider_auth_error')
    assert.deepEqual(statusesOf(await harness.rowOf(failed)), [401, 401])
    clock.now += 120_000
    azure.script('roleless', [denied(403), denied(403)])
    assert.deepEqual(statusesOf(await harness.rowOf(await harness.chat(hello('entra/roleless')))), [403])
  })

  test('a key that is refused is not tried again', async () => {
    azure.script('closed', [{ status: 401, body: { error: { code: '401', message: 'no' } } }])
    assert.deepEqual(statusesOf(await harness.rowOf(await harness.chat(hello('v1/closed')))), [401])
  })

  test('with a wrong secret is told so, and the secret is nowhere', async () => {
    const answer = await harness.chat(hello('bad/my-gpt'))
    assert.equal(answer.json.error.code, 'provider_auth_error')
    const { ok, message } = await tested('bad')
    assert.equal(ok, false)
    assert.match(message, /AADSTS7000215.*the client secret is wrong/)
    assert.doesNotMatch(JSON.stringify(await harness.rowOf(answer)) + message + answer.text, /not-the-secret/)
  })
})

describe('a test of the provider', () => {
  test('says that models are no deployments', async () => {
    const { ok, message } = await tested('v1')
    assert.equal(ok, true)
    assert.match(message, /^The key is accepted; \d+ models are listed\. These are models, not deployments/)
    assert.match((await tested('entra')).message, /^The credentials are accepted/)
  })

  test('names both causes where there is nothing', async () => {
    const { message } = await tested('wrong')
    assert.match(message, /address of the resource, and does the api-version exist\?/)
    assert.match(message, /no deployment has this name, or the path or the api-version/)
  })
})
