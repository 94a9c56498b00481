import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url))
const start = (...options: string[]) => spawn(process.execPath, [MAIN, ...options])

async function finished(...options: string[]): Promise<{ code: number; out: string; errors: string }> {
  const child = start(...options)
  let out = ''
  let errors = ''
  child.stdout.on('data', (chunk) => (out += chunk))
  child.stderr.on('data', (chunk) => (errors += chunk))
  const [code] = await once(child, 'close')
  return { code, out, errors }
}

describe('the command', { concurrency: true }, () => {
  test('serves on free ports, prints one line of JSON and ends on SIGTERM', async () => {
    const child = start('--openai-port', '0', '--anthropic-port', '0', '--json')
    const [chunk] = await once(child.stdout, 'data')
    const { openaiUrl, anthropicUrl } = JSON.parse(String(chunk))
    assert.match(openaiUrl, /:\d+\/v1$/)
    const response = await fetch(`${anthropicUrl}/_simulator/calls/count`)
    assert.deepEqual(((await response.json()) as { count: number }).count, 0)
    child.kill('SIGTERM')
    const [code] = await once(child, 'close')
    assert.equal(code, 0)
  })

  test('greets people with the addresses of all families and three lines to try', async () => {
    const child = start('--openai-port', '0', '--anthropic-port', '0')
    const [chunk] = await once(child.stdout, 'data')
    const text = String(chunk)
    assert.match(text, /^openai family: +http.*\/v1\n/)
    assert.match(text, /\ngemini family: +http.*\d\n/)
    assert.equal(text.match(/^curl /gm)?.length, 3)
    child.kill('SIGINT')
    const [code] = await once(child, 'close')
    assert.equal(code, 0)
  })

  test('explains itself', async () => {
    const { code, out } = await finished('--help')
    assert.equal(code, 0)
    assert.match(out, /--openai-port <port>/)
  })

  for (const options of [['--openai-port', '70000'], ['--latency-ms=-1'], ['--nonsense']])
    test(`refuses ${options.join(' ')} in one line`, async () => {
      const { code, errors } = await finished(...options)
      assert.equal(code, 2)
      assert.match(errors, /^simulator: .+\n$/)
    })
})
