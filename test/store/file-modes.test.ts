import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { after, test } from 'node:test'
import { filesUnder } from '../files-under.ts'
import { type Harness, hello, newFolder, startHarness } from '../harness.ts'

// Nothing is taken away from the modes that are asked for.
process.umask(0)
const folder = newFolder()
const dataDir = join(folder, 'data')
mkdirSync(dataDir, { mode: 0o755 })
const running: Harness[] = []
after(async () => {
  for (const harness of running) await harness.stop()
  rmSync(folder, { recursive: true, force: true })
})

const modes = () =>
  Object.fromEntries(
    filesUnder(dataDir).map((path) => [relative(dataDir, path), (statSync(path).mode & 0o777).toString(8)]),
  )
const wider = () => Object.entries(modes()).filter(([, mode]) => mode !== '600')

test('every file of a data folder that others may look into is for its owner alone', async () => {
  const harness = await startHarness({ folder })
  running.push(harness)
  assert.equal((await harness.chat(hello('gpt-sim-echo'))).status, 200)
  await harness.rows()
  const names = Object.keys(modes())
  for (const name of ['switchyard.db', 'switchyard.db-wal', 'switchyard.db-shm', 'lock.db', 'secrets.key']) {
    assert.ok(names.includes(name), `${name} is not among ${names}`)
  }
  assert.ok(names.some((name) => /^spool\/\d+\.log$/.test(name)))
  assert.deepEqual(wider(), [])
  await running.pop()?.stop()
  assert.deepEqual(wider(), [])
})

test('files that others could read are closed to them at the next start; what is not ours is left alone', async () => {
  for (const path of filesUnder(dataDir)) chmodSync(path, 0o644)
  for (const name of ['switchyard.db-wal', 'unbooked', 'note.txt'])
    writeFileSync(join(dataDir, name), '', { mode: 0o644 })
  assert.ok(wider().length > 4)
  const harness = await startHarness({ folder })
  running.push(harness)
  assert.deepEqual(wider(), [['note.txt', '644']])
})
