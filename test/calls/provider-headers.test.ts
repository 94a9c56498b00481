import assert from 'node:assert/strict'
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { ADMIN_KEY, hello, type Json, KEY, newFolder } from '../harness.ts'
import { type Started, startProcess } from '../process.ts'

/** None looks like a key to a pattern. */
const SECRETS = {
  apiKey: 'Zq7openaiprovidersecret81XyW',
  anthropicKey: 'Zq7anthropicprovidersecret82XyW',
  headerSecret: 'Zq7headersecret84XyW',
  token: 'Zq7tokenbehindascheme85XyW',
}
const PATTERNED = 'sk-proj-abcdefghijklmnop'

/** What the provider sends in every header field that is read, with its status. */
let echo: { status: number; words: string } = { status: 200, words: '' }
const provider = createServer((request, response) => {
  request.resume().on('end', () => {
    const { status, words } = echo
    const names = ['x-request-id', 'request-id', 'retry-after', 'x-should-retry', 'openai-organization']
    if (status === 307) names.push('location')
    const fields = names.flatMap((name) => [name, words])
    const type = status === 207 ? words : 'application/json'
    response.writeHead(status === 207 ? 200 : status, [...fields, 'content-type', type])
    response.end(request.url?.endsWith('/messages') ? MESSAGE : COMPLETION)
  })
})
const usage = { prompt_tokens: 1, completion_tokens: 1, input_tokens: 1, output_tokens: 1 }
const COMPLETION = JSON.stringify({
  choices: [{ index: 0, message: { role: 'assistant', content: 'x' }, finish_reason: 'stop' }],
  usage,
})
const MESSAGE = JSON.stringify({
  ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'm', stop_reason: 'end_turn', usage },
  content: [{ type: 'text', text: 'x' }],
})

const folder = newFolder()
let started: Started
let url: string
before(async () => {
  provider.listen(0, '127.0.0.1')
  await once(provider, 'listening')
  const address = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/v1`
  writeFileSync(
    join(folder, 'switchyard.yaml'),
    `
providers:
  first: { family: openai, base_url: "${address}", api_key: ${SECRETS.apiKey}, headers: { x-extra: ${SECRETS.headerSecret}, x-other: "Bearer ${SECRETS.token}" } }
  second: { family: anthropic, base_url: "${address}", api_key: ${SECRETS.anthropicKey} }
workspaces:
  default:
    routes:
      one: { chain: [{ provider: first, model: m, retries: 0 }] }
      two: { chain: [{ provider: second, model: m, retries: 0 }] }
`,
  )
  const environment = { LOG_LEVEL: 'trace', GATEWAY_KEY: KEY, ADMIN_KEY, DATA_DIR: join(folder, 'data') }
  started = startProcess({ folder, environment })
  url = await started.url()
})
after(async () => {
  await started.stop()
  provider.close()
  rmSync(folder, { recursive: true, force: true })
})

const admin = { headers: { authorization: `Bearer ${ADMIN_KEY}` } }
const textOf = async (path: string) => (await fetch(url + path, admin)).text()

/** Everything that is said of a call in which the provider has used these words. */
async function said(alias: string, status: number, words: string): Promise<{ id: string | null; everything: string }> {
  echo = { status, words }
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify(hello(alias)),
  })
  const seen = [await answer.text(), JSON.stringify([...answer.headers])]
  const row = await textOf(`/requests/${answer.headers.get('x-gateway-request-id')}`)
  for (const path of [
    '/requests',
    '/requests/export?format=csv',
    '/requests/export?format=ndjson',
    '/status',
    '/providers',
    '/audit',
    '/metrics',
  ]) {
    seen.push(await textOf(path))
  }
  seen.push(row, started.stderr(), started.stdout())
  const attempts = (JSON.parse(row) as { attempts: Json[] }).attempts
  return { id: attempts[0]?.upstream_request_id ?? null, everything: seen.join('\n') }
}

describe('what a provider says in its headers', () => {
  test('is its request id, as it came', async () => {
    for (const alias of ['one', 'two'])
      assert.equal((await said(alias, 200, 'req_011CSHoEeqs5C35K2UUqR7Fy')).id, 'req_011CSHoEeqs5C35K2UUqR7Fy')
  })

  for (const [name, secret] of Object.entries({ ...SECRETS, PATTERNED })) {
    for (const [how, words] of Object.entries({
      alone: secret,
      'among others': `for Bearer ${secret}, thanks`,
      'with letters between that are not shown': `${secret.slice(0, 9)}\xfc${secret.slice(9)}`,
      'over the bound': 'x'.repeat(500) + secret,
    })) {
      test(`is not our ${name}, ${how}`, async () => {
        for (const alias of name === 'anthropicKey' ? ['two'] : ['one']) {
          for (const status of [200, 207, 400, 429, 500]) {
            const { everything } = await said(alias, status, words)
            // A piece of a secret is one too.
            for (const part of [secret.slice(0, 12), secret.slice(-12)]) {
              const at = everything.indexOf(part)
              assert.ok(at < 0, everything.slice(Math.max(0, at - 200), at + 100))
            }
          }
        }
      })
    }
  }

  test('is bounded', async () => {
    const { id, everything } = await said('one', 200, 'y'.repeat(10_000))
    assert.ok(id !== null && id.length > 10 && id.length <= 200, String(id?.length))
    assert.ok(!everything.includes('y'.repeat(300)))
    assert.ok(!(await said('one', 207, 'w'.repeat(10_000))).everything.includes('w'.repeat(300)))
  })

  test('is visible ASCII', async () => {
    for (const status of [200, 207]) {
      const { id, everything } = await said('one', status, 'r\xfcq\x80_1\t2 ∎'.replace('∎', '\xe2\x88\x8e'))
      assert.equal(id, 'rq_12')
      assert.doesNotMatch(everything, /r\xfcq|\\u00fc|Ã/)
    }
  })
})

test('where a provider leads to is told without our key', async () => {
  echo = { status: 307, words: SECRETS.apiKey }
  const answer = await fetch(`${url}/providers/first/test`, { method: 'POST', ...admin })
  const text = await answer.text()
  assert.match(text, /redirects to .*\[redacted\]/)
  assert.ok(!text.includes(SECRETS.apiKey))
})
