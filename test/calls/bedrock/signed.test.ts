import assert from 'node:assert/strict'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, beforeEach, describe, test } from 'node:test'
import { ADMIN_KEY, hello } from '../../harness.ts'
import { attemptsOf } from '../streams/world.ts'
import { bedrockConfig, CLAUDE, NOVA, startBedrock } from './world.ts'

const CREDENTIALS =
  'credentials: { access_key_id: AKIDEXAMPLE0123456, secret_access_key: stored-secret-0123456, session_token: stored-session-0123 }'

/** As a container is given its role: a new key with every request. */
let given = 0
let answer: () => { status: number; body: unknown }
const asked: IncomingMessage[] = []
const container = createServer((request, response) => {
  asked.push(request)
  const { status, body } = answer()
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
})

let now = Date.UTC(2026, 10, 16, 12)
let bedrock: Awaited<ReturnType<typeof startBedrock>>

before(async () => {
  await new Promise<void>((resolve) => container.listen(0, '127.0.0.1', resolve))
  const { port } = container.address() as AddressInfo
  const environment = {
    AWS_CONTAINER_CREDENTIALS_FULL_URI: `http://127.0.0.1:${port}/role`,
    AWS_CONTAINER_AUTHORIZATION_TOKEN: 'container-proof',
  }
  const config = bedrockConfig({
    provider: CREDENTIALS,
    routes: `      role: { chain: [{ provider: role, model: "${NOVA}", retries: 1 }] }`,
  }).replace(
    'workspaces:',
    '  role: { family: bedrock, base_url: "${SIMULATED_BEDROCK}", settings: { region: eu-west-1 } }\nworkspaces:',
  )
  answer = granted
  bedrock = await startBedrock({ config, environment, now: () => now })
})
after(async () => {
  await bedrock.stop()
  container.close()
})
beforeEach(() => {
  bedrock.simulator.reset()
  answer = granted
})

function granted() {
  given += 1
  const Expiration = new Date(now + 3_600_000).toISOString()
  const keys = {
    AccessKeyId: `ASIAROLE${given}`,
    SecretAccessKey: 'fetched-secret-01234',
    Token: `fetched-session-${given}`,
  }
  return { status: 200, body: { ...keys, Expiration } }
}

const refused = (type: string, message: string) => ({
  ...{ status: 403, headers: { 'x-amzn-errortype': type }, body: { message } },
})
const signature = (headers: Record<string, string> | undefined) =>
  /Credential=(\w+)\/(\d{8})\/([\w-]+)\/bedrock\//.exec(headers?.['authorization'] ?? '')?.slice(1)

describe('signed requests', () => {
  test('with stored keys, in both formats, whole and streamed', async () => {
    for (const stream of [false, true]) {
      for (const [route, model] of [
        ['nova', NOVA],
        ['claude', CLAUDE],
      ]) {
        const served = await bedrock.chat(hello(String(route), { stream }))
        assert.equal(served.status, 200, served.text)
        const call = bedrock.upstream().at(-1)
        assert.equal(call?.model, model)
        assert.deepEqual(signature(call?.headers), ['AKIDEXAMPLE0123456', '20261116', 'us-east-1'])
        assert.equal(call?.headers['x-amz-date'], '20261116T120000Z')
        assert.equal(call?.headers['x-amz-security-token'], 'stored-session-0123')
      }
    }
  })

  test('with the keys of a role, fetched once', async () => {
    const before = asked.length
    const calls = await Promise.all(Array.from({ length: 5 }, () => bedrock.chat(hello('role'))))
    for (const { status, text } of calls) assert.equal(status, 200, text)
    assert.ok(asked.length - before <= 1, 'one at a time, and kept')
    assert.equal(asked.at(-1)?.headers['authorization'], 'container-proof')
    assert.deepEqual(signature(bedrock.upstream()[0]?.headers)?.slice(1), ['20261116', 'eu-west-1'])
  })

  test('a token that has expired is fetched again, once', async () => {
    await bedrock.chat(hello('role'))
    now += 120_000
    const [first] = signature(bedrock.upstream().at(-1)?.headers) ?? []
    const expired = refused('ExpiredTokenException', 'The security token included in the request is expired')
    bedrock.simulator.script(NOVA, [expired])
    const served = await bedrock.chat(hello('role'))
    assert.equal(served.status, 200, served.text)
    const [second] = signature(bedrock.upstream().at(-1)?.headers) ?? []
    assert.notEqual(second, first)
    assert.deepEqual(
      attemptsOf(await bedrock.rowOf(served)).map(({ code }) => code),
      ['provider_auth_error', null],
    )
    now += 120_000
    bedrock.simulator.script(NOVA, [expired, expired, expired])
    const failed = await bedrock.chat(hello('role'))
    assert.equal(failed.json.error.code, 'provider_auth_error')
    assert.equal(attemptsOf(await bedrock.rowOf(failed)).length, 2)
  })

  test('keys that are stored are not tried again', async () => {
    const expired = refused('ExpiredTokenException', 'The security token included in the request is expired')
    bedrock.simulator.script(NOVA, [expired])
    const failed = await bedrock.chat(hello('nova'))
    assert.equal(failed.json.error.code, 'provider_auth_error')
    assert.equal(attemptsOf(await bedrock.rowOf(failed)).length, 1)
    bedrock.simulator.reset()
  })

  test('no credentials are told, and nothing is sent', async () => {
    now += 7_200_000
    answer = () => ({ status: 404, body: {} })
    const failed = await bedrock.chat(hello('role'))
    assert.equal(failed.json.error.code, 'provider_auth_error')
    assert.match(failed.json.error.message, /status 404/)
    assert.equal(bedrock.upstream().length, 0)
  })
})

describe('the test of a provider', () => {
  const check = async (name: string) => {
    const response = await fetch(`${bedrock.url}/providers/${name}/test`, {
      ...{ method: 'POST', headers: { authorization: `Bearer ${ADMIN_KEY}` } },
    })
    return (await response.json()) as { ok: boolean; models: number | null; message: string }
  }

  test('names the credentials, not a key', async () => {
    assert.deepEqual(
      [await check('bedrock')].map(({ ok, models, message }) => [ok, models, message]),
      [[true, 4, 'The credentials are accepted; 4 models are listed.']],
    )
  })

  test('says that nothing gives credentials', async () => {
    answer = () => ({ status: 500, body: {} })
    const { ok, message } = await check('role')
    assert.equal(ok, false)
    assert.match(message, /container's credentials cannot be read/)
  })
})
