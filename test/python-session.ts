import assert from 'node:assert/strict'
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { after, type TestContext } from 'node:test'
import type { Json } from './harness.ts'
import { pythonWith } from './python-package.ts'

/** All that the tests use, together: an environment for each takes more than twice the time, for they need much of the same. */
const PACKAGES = ['anthropic', 'langchain-openai', 'openai', 'opentelemetry-proto']

/** Each line is an order: a script and its variables. `result`, or what was raised, is answered on a line. */
const SERVE = `
import json, os, sys, traceback
for line in sys.stdin:
    order = json.loads(line)
    os.environ.update(order["env"])
    space = {}
    try:
        exec(order["script"], space)
        answer = {"result": space["result"]}
    except BaseException:
        answer = {"raised": traceback.format_exc()}
    print(json.dumps(answer), flush=True)
`

/**
 * Runs scripts with these packages, each with variables and names of its own, in one process per test file: to import such a
 * package costs a second of the processor.
 */
export function pythonSession() {
  const found = pythonWith(...PACKAGES)
  let session: { child: ChildProcessByStdio<Writable, Readable, null>; lines: AsyncIterator<string> } | null = null

  function start(python: string) {
    const env = { PATH: process.env['PATH'] ?? '', PYTHONUTF8: '1' }
    const child = spawn(python, ['-c', SERVE], { env, stdio: ['pipe', 'pipe', 'inherit'] })
    return { child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() }
  }
  after(async () => {
    if (session === null || session.child.exitCode !== null) return
    session.child.stdin.end()
    await once(session.child, 'exit')
  })

  return {
    isMissing: 'missing' in found,
    /** Where nothing may be installed it says so in one line; the project's own checks must be able to. */
    skips(context: TestContext): boolean {
      if (!('missing' in found)) return false
      if (process.env['CI']) assert.fail(found.missing)
      context.skip(found.missing)
      return true
    },
    /** What the script has put into `result`. One at a time. */
    async run(script: string, env: Readonly<Record<string, string>>): Promise<Json> {
      if ('missing' in found) throw new Error(found.missing)
      session ??= start(found.python)
      session.child.stdin.write(`${JSON.stringify({ script, env })}\n`)
      const { value } = await session.lines.next()
      const answer = JSON.parse(value ?? assert.fail('Python has ended'))
      return 'raised' in answer ? assert.fail(answer.raised) : answer.result
    },
  }
}
