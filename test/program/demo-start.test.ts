import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { newFolder } from '../harness.ts'
import { startProcess } from '../process.ts'

const folder = newFolder()
after(() => rmSync(folder, { recursive: true, force: true }))

/** Output may be seen only when the demo is days further. */
const INTERRUPT = `--import=${join(import.meta.dirname, 'interrupt-at.ts')}`
const ENDS = ' {2}The demo ends and removes its data.\n'

/** The demo in its own process, and its data folder. */
function startDemo(name: string, environment: Record<string, string> = {}) {
  const temporary = join(folder, name)
  mkdirSync(temporary)
  const demo = startProcess({ command: ['demo'], folder, environment: { TMPDIR: temporary, ...environment } })
  const left = () => readdirSync(temporary).filter((entry) => entry.startsWith('switchyard-demo-'))
  /** However long that takes on a busy machine. */
  const until = async (isSo: () => boolean) => {
    while (!isSo()) {
      assert.equal(demo.child.exitCode, null, demo.stderr())
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }
  return { demo, left, until }
}

describe('while the demo prepares its history', () => {
  test('it says how far it is, in lines where nobody watches one change', { timeout: 600_000 }, async () => {
    const { demo, left, until } = startDemo('whole')
    await until(() => demo.stdout().includes('/metrics'))
    const days = [...demo.stderr().matchAll(/^ {2}Preparing 30 days of history: day (\d+)$/gm)].map(([, day]) =>
      Number(day),
    )
    assert.deepEqual(days, [0, 10, 20, 30])
    assert.equal(demo.stderr().includes('\r'), false)
    assert.equal(await demo.stop('SIGINT'), 0)
    assert.match(demo.stderr(), new RegExp(`day 30\n${ENDS}$`))
    assert.deepEqual(left(), [])
  })

  for (const day of [0, 10]) {
    test(`Ctrl-C on its day ${day} ends it with one line, and nothing is left behind`, async () => {
      const moment = { NODE_OPTIONS: INTERRUPT, INTERRUPT_AT: `day ${day}\n` }
      const { demo, left } = startDemo(`day-${day}`, moment)
      assert.equal((await demo.ended).code, 0)
      assert.equal(demo.stdout(), '')
      assert.match(demo.stderr(), new RegExp(`day ${day}\n${ENDS}$`))
      assert.deepEqual(left(), [])
    })
  }

  test('an address that is taken is told before anything is prepared', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const { port } = taken.address() as AddressInfo
    const { demo, left } = startDemo('taken', { PORT: String(port) })
    const { code } = await demo.ended
    taken.close()
    assert.equal(code, 1)
    assert.match(demo.stderr(), /^switchyard: 127\.0\.0\.1:\d+ [^\n]+\n$/)
    assert.deepEqual(left(), [])
  })
})
