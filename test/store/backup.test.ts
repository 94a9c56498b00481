import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { requireDebianPackage } from '../debian-package.ts'
import { type Harness, hello, newFolder, startHarness } from '../harness.ts'

const running: Harness[] = []
after(async () => {
  await Promise.all(running.map((harness) => harness.stop()))
  for (const { folder } of running) rmSync(folder, { recursive: true, force: true })
})

async function start(folder: string): Promise<Harness> {
  const harness = await startHarness({ folder })
  running.push(harness)
  return harness
}

test('the backup of an embedded gateway that docs/operating.md describes can be started from', async () => {
  requireDebianPackage('sqlite3', () => existsSync('/usr/bin/sqlite3'))
  const page = readFileSync('docs/operating.md', 'utf8')
  const block = /^```\n(sqlite3 .*?)^```/ms.exec(page)?.[1] ?? ''
  const folder = newFolder()
  const first = await start(folder)
  const answer = await first.chat(hello('gpt-sim-echo'))
  await first.rowOf(answer)

  mkdirSync(join(folder, 'backup'))
  execFileSync('bash', ['-e', '-c', block], { cwd: folder })
  const restored = newFolder()
  execFileSync('cp', ['-r', join(folder, 'backup'), join(restored, 'data')])
  const second = await start(restored)

  assert.equal((await second.rowOf(answer)).status, 200)
  assert.equal((await second.chat(hello('gpt-sim-echo'))).status, 200)
  assert.equal((await first.chat(hello('gpt-sim-echo'))).status, 200)
})
