import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { Spool } from './spool.ts'
import { openSpoolFile } from './spool-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'switchyard-spool-'))
after(() => rmSync(folder, { recursive: true, force: true }))

let files = 0
function newSpool(onCommit = () => {}) {
  const path = join(folder, `spool-${++files}.db`)
  const open = () => new Spool(path, { synchronousFull: false, onCommit })
  const reader = () => openSpoolFile(path, 0)
  return { spool: open(), open, reader }
}

function seqs(database: DatabaseSync): unknown[] {
  return database
    .prepare('select seq from spool order by seq')
    .all()
    .map((row) => row['seq'])
}

test('appends of one turn of the event loop share one commit, in order', async () => {
  let commits = 0
  const { spool, reader } = newSpool(() => commits++)
  await Promise.all(['one', 'two', 'three'].map((line) => spool.append(line)))
  assert.equal(commits, 1)
  await spool.append('four')
  assert.equal(commits, 2)
  const rows = reader().prepare('select seq, kind, payload from spool order by seq').all()
  assert.deepEqual(
    rows.map((row) => [row['seq'], row['kind'], row['payload']]),
    [
      [3, 'group', 'one\ntwo\nthree'],
      [4, 'group', 'four'],
    ],
  )
  assert.deepEqual([spool.lastSeq, spool.pending, spool.rows], [4, 0, 4])
})

test('a resolved append is durable: another connection sees it', async () => {
  const { spool, reader } = newSpool()
  const database = reader()
  for (const n of [1, 2, 3]) {
    await spool.append(`${n}`)
    assert.equal(seqs(database).length, n)
  }
})

test('the file may have any name, and no other process reads it meanwhile', async () => {
  const path = join(folder, 'a b?c=d#e%20&vfs=memdb.db')
  const spool = new Spool(path, { synchronousFull: false, onCommit() {} })
  await spool.append('line')
  assert.ok(existsSync(path))
  const read = `new (require('node:sqlite').DatabaseSync)(process.argv[1]).exec('select * from spool')`
  assert.match(spawnSync(process.execPath, ['-e', read, path], { encoding: 'utf8' }).stderr, /database is locked/)
  spool.close()
  assert.equal(spawnSync(process.execPath, ['-e', read, path]).status, 0)
})

test('a commit that fails rejects all of its callers and spares the next', async () => {
  const { spool, reader } = newSpool()
  await spool.append('line')
  const database = reader()
  database.exec(`create trigger broken before insert on spool begin select raise(fail, 'disk full'); end`)
  const outcomes = await Promise.allSettled([spool.append('line'), spool.append('line')])
  assert.deepEqual(
    outcomes.map((outcome) => outcome.status === 'rejected' && /disk full/.test(String(outcome.reason))),
    [true, true],
  )
  database.exec('drop trigger broken')
  await spool.append('line')
  assert.deepEqual(seqs(database), [1, 2])
  assert.equal(spool.lastSeq, 2)
})

test('a lock held by somebody else delays, and holds up nothing but the log', async () => {
  const { spool, reader } = newSpool()
  const other = reader()
  other.exec('begin immediate')
  let done = false
  const append = spool.append('line').then(() => {
    done = true
  })
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setTimeout(resolve, 1))
  assert.equal(done, false)
  other.exec('rollback')
  await append
  assert.equal(spool.lastSeq, 1)
})

test('folded rows are trimmed when there are many or nothing else to do, others stay; numbers go on after a restart', async () => {
  const { spool, open, reader } = newSpool()
  for (let turn = 0; turn < 20; turn++) await Promise.all(Array.from({ length: 100 }, () => spool.append('line')))
  const database = reader()
  spool.folded(500)
  await spool.append('line')
  assert.deepEqual([seqs(database)[0], spool.rows], [100, 2_001])
  spool.folded(1_300)
  await spool.append('line')
  assert.deepEqual([seqs(database)[0], spool.rows], [600, 1_490])
  while (spool.rows > 702) await new Promise((resolve) => setTimeout(resolve, 5))
  assert.deepEqual(seqs(database).slice(0, 2), [1_400, 1_500])
  spool.close()

  const again = open()
  assert.deepEqual([again.node, again.lastSeq], [spool.node, 2_002])
  again.folded(2_002)
  while (again.rows > 0) await new Promise((resolve) => setTimeout(resolve, 5))
  assert.deepEqual(seqs(database), [])
  await again.append('line')
  assert.deepEqual(seqs(database), [2_003])
})

test('closing writes what is queued and refuses what comes later', async () => {
  const { spool, reader } = newSpool()
  const queued = spool.append('line')
  spool.close()
  await queued
  assert.deepEqual(seqs(reader()), [1])
  await assert.rejects(spool.append('line'))
})

test('numbers start after what the database has folded', async () => {
  const { spool } = newSpool()
  spool.startAfter(41)
  await spool.append('line')
  spool.startAfter(7)
  assert.equal(spool.lastSeq, 42)
})
