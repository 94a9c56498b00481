import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { promisify } from 'node:util'

const run = promisify(execFile)
const children: ChildProcess[] = []
after(() => {
  // npm does not forward every signal, so the whole group gets it.
  for (const { pid } of children) if (pid !== undefined) process.kill(-pid, 'SIGTERM')
})

/** The code blocks of a page in one language, in order. */
function blocks(page: string, language: string): string[] {
  return [...readFileSync(page, 'utf8').matchAll(/^```(\w*)\n(.*?)^```/gms)]
    .filter((match) => match[1] === language)
    .map((match) => match[2] ?? '')
}

test('the quick start of the README works as pasted', async () => {
  const [start = '', curl = ''] = blocks('README.md', 'sh')
  const [refused = '', streamed = ''] = blocks('docs/streaming.md', 'sh')
  assert.match(start, /^npm ci\nnpm run demo\n$/)
  // `npm ci` has happened, or nothing would run here; another port, because 8080 may be taken.
  const demo = spawn('npm', ['run', 'demo'], {
    env: { ...process.env, PORT: '0' },
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(demo)
  const printed = await new Promise<string>((resolve, reject) => {
    let text = ''
    demo.stdout.on('data', (chunk) => {
      text += chunk
      if (text.includes('/metrics')) resolve(text)
    })
    demo.once('exit', (code) => reject(new Error(`the demo ended with ${code}: ${text}`)))
  })
  const url = /serves on (http:\S+),/.exec(printed)?.[1] ?? ''
  assert.match(url, /^http:\/\/127\.0\.0\.1:\d+$/)
  assert.ok(printed.includes(curl.split('\n')[1]?.trim().replace(/ \\$/, '') ?? '?'), 'the README shows another key')
  const pasted = (block: string) =>
    run('bash', ['-c', block.replace('http://127.0.0.1:8080', url).replace('curl -', 'curl -sS -')])
  const { stdout } = await pasted(curl)
  assert.match(stdout, /^HTTP\/1\.1 200/)
  assert.match(stdout, /x-gateway-provider: anthropic/)
  assert.match(stdout, /x-gateway-fallback-used: true/)
  assert.match(stdout, /x-gateway-cost-usd: \d+\.\d{6}/)
  assert.match((await pasted(refused)).stdout, /"code":"not_implemented"/)
  assert.ok(printed.includes(streamed.split('\n')[1]?.trim().replace(/ \\$/, '') ?? '?'), 'another key for streams')
  assert.match((await pasted(streamed)).stdout, /"x_gateway":.*\n\ndata: \[DONE\]\n\n$/s)
})

test('the README and CI name the same test command', () => {
  assert.ok(readFileSync('README.md', 'utf8').includes('`npm ci && npm test`'))
  assert.ok(readFileSync('.ci/run', 'utf8').includes('\nnpm ci && npm test\n'))
})
