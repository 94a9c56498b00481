import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Harness, hello, startHarness } from '../harness.ts'
import { managing } from '../management/manage.ts'
import { type ConnectProxy, startConnectProxy } from './connect-proxy.ts'

const PASSWORD = 'Zq7/environment#password'
const OWN = 'Zq7-own-password'
const LOGINS = [`env:${PASSWORD}`, `own:${OWN}`].map((login) => Buffer.from(login).toString('base64'))

/** A proxy that forwards nothing, and repeats in its answer everything it received. */
let proxy: ConnectProxy
let harness: Harness
const manage = managing(() => harness)
/** Large answers are read in their own thread. */
let padding = ''

before(async () => {
  proxy = await startConnectProxy(() => 0)
  proxy.answer = (head) => {
    const words = JSON.stringify({
      error: { message: `${head} ${PASSWORD} ${encodeURIComponent(PASSWORD)} ${OWN}` },
      padding,
    })
    return `HTTP/1.1 400 Bad\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: ${Buffer.byteLength(words)}\r\n\r\n${words}`
  }
  const config = `
providers:
  around: { family: openai, base_url: "http://provider.test/v1" }
  own: { family: openai, base_url: "http://provider.test/v1", proxy: "http://own:${OWN}@127.0.0.1:${proxy.port}" }
workspaces:
  default:
    routes:
      around: { chain: [{ provider: around, model: gpt-4o, retries: 0 }] }
      own: { chain: [{ provider: own, model: gpt-4o, retries: 0 }] }
`
  const HTTP_PROXY = `http://env:${encodeURIComponent(PASSWORD)}@127.0.0.1:${proxy.port}`
  harness = await startHarness({ config, environment: { HTTP_PROXY, STREAMING: 'on' } })
})
after(async () => {
  await harness.stop()
  await proxy.close()
})

describe('the password of a proxy that tells it', () => {
  for (const [what, size] of [
    ['small', 0],
    ['large', 300_000],
  ] as const) {
    for (const model of ['around', 'own']) {
      test(`is in no answer, row or test: ${model}, ${what}`, async () => {
        padding = 'x'.repeat(size)
        proxy.heads.length = 0
        const answers = [await harness.chat(hello(model)), await harness.chat(hello(model, { stream: true }))]
        const tested = await manage('POST', `/providers/${model}/test`)
        const login = LOGINS[model === 'around' ? 0 : 1] ?? ''
        assert.equal(proxy.heads.filter((head) => head.includes(login)).length, 3)
        const rows = await Promise.all(answers.map((answer) => harness.rowOf(answer)))
        const reported = JSON.stringify([answers.map(({ text }) => text), rows, tested.text])
        assert.match(reported, /\[redacted\]/)
        // Each provider knows its own password, and all know the environment's: none may appear.
        const secrets = [PASSWORD, encodeURIComponent(PASSWORD), ...LOGINS, ...(model === 'own' ? [OWN] : [])]
        for (const secret of secrets) assert.ok(!reported.includes(secret), `${secret} is told`)
        assert.match(tested.json.message, /The proxy 127\.0\.0\.1:\d+ was asked, and may have answered/)
      })
    }
  }
})
