import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import type { Verdict } from '../../prove/prove.ts'
import { runCli } from '../cli/run-cli.ts'
import { type Fault, MASTER_KEY, startLitellmLike } from './litellm-like.ts'

const folder = mkdtempSync(join(tmpdir(), 'prove-target-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const environment = { TARGET_ADMIN_KEY: MASTER_KEY }
const at = (url: string, ...more: string[]) => [
  ...['prove', '--quick', '--json', '--seed', '7', '--target', url, '--dialect', 'litellm'],
  ...more,
]

const proved = async (url: string, ...more: string[]) => {
  const ran = await runCli(at(url, ...more), { folder, environment })
  assert.ok(ran.stdout !== '', ran.stderr)
  return { ...ran, verdict: JSON.parse(ran.stdout) as Verdict }
}

test('a target that holds is asked what can be asked, and nothing is left there', async () => {
  await using target = await startLitellmLike()
  const page = join(folder, 'verdict.html')
  const { code, stdout, verdict } = await proved(target.url, '--settle', '30', '--page', page)
  assert.equal(code, 0, stdout)
  assert.deepEqual([verdict.holds, verdict.target], [true, target.url])
  assert.deepEqual(
    verdict.proofs.map(({ id }) => id),
    ['budget', 'hang-up', 'hostile', 'prompt-cache'],
  )
  assert.deepEqual(
    verdict.notAsked.map(({ id }) => id),
    ['kills', 'memory', 'secrets'],
  )
  assert.deepEqual(target.left(), [])
  const written = readFileSync(page, 'utf8')
  assert.match(written, /Everything asked held/)
  assert.match(written, /– kill -9<\/h2><p>Not asked: another process is not killed/)
  assert.ok(!written.includes(MASTER_KEY) && !stdout.includes(MASTER_KEY))
})

describe('what a target does wrong is found', () => {
  const faults: [Fault, proof: string, problem: RegExp][] = [
    ['late', 'budget', /the providers had billed .* USD of/],
    ['forgets', 'hang-up', /USD in the log, .* billed/],
    ['opens', 'hostile', /a key that begins like a real one: answered HTTP\/1.1 200/],
    ['rewrites', 'prompt-cache', /the second turn does not begin like the first/],
  ]
  for (const [fault, id, problem] of faults) {
    test(`${id}: ${fault}`, async () => {
      await using target = await startLitellmLike(fault)
      const { code, verdict } = await proved(target.url, '--settle', '1', '--only', id)
      assert.deepEqual([code, verdict.holds], [1, false])
      assert.match(verdict.proofs[0]?.problems.join('\n') ?? '', problem)
      assert.deepEqual(target.left(), [])
    })
  }
})

test('a target that cannot be managed has not held', async () => {
  await using target = await startLitellmLike()
  const ran = await runCli(at(target.url, '--only', 'budget'), {
    folder,
    environment: { TARGET_ADMIN_KEY: 'sk-other' },
  })
  assert.equal(ran.code, 1)
  assert.match(ran.stdout, /could not be carried out: POST \/model\/new: 401/)
})

for (const [name, args, words, given = environment] of [
  ['no admin key', at('http://localhost:1'), /TARGET_ADMIN_KEY/, {}],
  ['no dialect', ['prove', '--target', 'http://localhost:1'], /--dialect: one of litellm/],
  ['no address', ['prove', '--target', 'x', '--dialect', 'litellm'], /--target: an address/],
  ['a dialect alone', ['prove', '--dialect', 'litellm'], /--dialect is for a --target/],
  ['a proof that cannot be asked', at('http://localhost:1', '--only', 'kills'), /another process is not killed/],
] as const) {
  test(`called wrongly: ${name}`, async () => {
    const { code, stderr } = await runCli(args, { folder, environment: { ...given } })
    assert.equal(code, 2, stderr)
    assert.match(stderr, words)
  })
}
