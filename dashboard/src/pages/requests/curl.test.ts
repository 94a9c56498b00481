import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { curlOf } from './curl.ts'

/** What a shell would hand to curl. */
function argumentsOf(command: string): string[] {
  const script = `curl() { printf '%s\\0' "$@"; }\n${command}`
  const output = execFileSync('sh', ['-c', script], { env: { GATEWAY_KEY: 'gw_live_x' }, encoding: 'utf8' })
  return output.split('\0').slice(0, -1)
}

test('the command asks this gateway for the model, with the key from the environment', () => {
  assert.deepEqual(argumentsOf(curlOf('http://127.0.0.1:8080', 'fast')), [
    'http://127.0.0.1:8080/v1/chat/completions',
    '-H',
    'Authorization: Bearer gw_live_x',
    '-H',
    'Content-Type: application/json',
    '-d',
    '{"model":"fast","messages":[{"role":"user","content":"…"}]}',
  ])
})

test('a call of another endpoint is repeated there', () => {
  const [url, , , , , , body = ''] = argumentsOf(curlOf('http://127.0.0.1:8080', 'fast', 'messages'))
  assert.equal(url, 'http://127.0.0.1:8080/v1/messages')
  assert.deepEqual(Object.keys(JSON.parse(body)), ['model', 'max_tokens', 'messages'])
})

test('a model’s name that a caller made up runs nothing', () => {
  const model = `'; echo "$(id)" #`
  const body = argumentsOf(curlOf('http://127.0.0.1:8080', model)).at(-1) ?? ''
  assert.equal(JSON.parse(body).model, model)
})

test('a stored body is sent as it is', () => {
  const stored = JSON.stringify({ model: 'fast', messages: [{ role: 'user', content: "it's" }] })
  assert.equal(argumentsOf(curlOf('http://127.0.0.1:8080', 'fast', 'chat', stored)).at(-1), stored)
})
