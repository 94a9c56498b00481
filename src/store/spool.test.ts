import assert from 'node:assert/strict'
import fs, { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, mock, test } from 'node:test'
import { Spool } from './spool.ts'
import { SpoolReader } from './spool-reader.ts'

const root = mkdtempSync(join(tmpdir(), 'switchyard-spool-'))
after(() => rmSync(root, { recursive: true, force: true }))

let folders = 0
function newSpool(onCommit = () => {}) {
  const folder = join(root, `spool ${++folders}`)
  const open = () => new Spool(folder, { synchronousFull: false, onCommit })
  const rows = (after = 0) => new SpoolReader(folder).read(after).map(({ seq, payload }) => [seq, payload])
  const files = () => readdirSync(folder).filter((name) => name.endsWith('.log'))
  return { spool: open(), open, rows, files, folder }
}

const MEGABYTE = 'x'.repeat(1_000_000)

test('appends of one turn of the event loop share one write, in order', async () => {
  let commits = 0
  const { spool, rows } = newSpool(() => commits++)
  const places = await Promise.all(['one', 'two', 'three'].map((line) => spool.append(line)))
  assert.deepEqual([commits, places], [1, [3, 3, 3]])
  await spool.append('four')
  assert.equal(commits, 2)
  assert.deepEqual(rows(), [
    [3, 'one\ntwo\nthree'],
    [4, 'four'],
  ])
  assert.deepEqual([spool.lastSeq, spool.pending, spool.rows], [4, 0, 4])
})

test('a resolved append is there for whoever reads the file', async () => {
  const { spool, folder } = newSpool()
  const reader = new SpoolReader(folder)
  for (const n of [1, 2, 3]) {
    await spool.append(`${n}`)
    assert.deepEqual(reader.read(n - 1), [{ seq: n, payload: `${n}` }])
  }
})

for (const synchronousFull of [false, true]) {
  test(`a write that fails rejects all of its callers and spares the next (SPOOL_SYNC ${synchronousFull})`, async () => {
    const { folder, rows } = newSpool()
    const spool = new Spool(folder, { synchronousFull, onCommit() {} })
    await spool.append('first')
    const real = fs.writeSync
    // As a disk that fills up: a part is written, then nothing more.
    const calls = [
      (file: number, bytes: Buffer, from: number, _length: number, at: number) => real(file, bytes, from, 20, at),
      () => {
        throw new Error('ENOSPC: no space left on device')
      },
    ]
    const broken = mock.method(fs, 'writeSync', (...args: [number, Buffer, number, number, number]) => {
      const call = calls.shift()
      return call === undefined ? real(...args) : call(...args)
    })
    syncBuiltinESMExports()
    const outcomes = await Promise.allSettled([spool.append('a long line that is cut off'), spool.append('line')])
    broken.mock.restore()
    syncBuiltinESMExports()
    assert.deepEqual(
      outcomes.map((outcome) => outcome.status === 'rejected' && /ENOSPC/.test(String(outcome.reason))),
      [true, true],
    )
    assert.deepEqual(rows(), [[1, 'first']])
    await spool.append('next')
    assert.deepEqual(rows(), [
      [1, 'first'],
      [2, 'next'],
    ])
    assert.equal(spool.lastSeq, 2)
  })
}

test('what the disk refuses only after it was written keeps its number: a reader may have seen it', async () => {
  const { folder, rows } = newSpool()
  const spool = new Spool(folder, { synchronousFull: true, onCommit() {} })
  const broken = mock.method(fs, 'fdatasyncSync', () => {
    throw new Error('EIO')
  })
  syncBuiltinESMExports()
  await assert.rejects(spool.append('refused'), /EIO/)
  broken.mock.restore()
  syncBuiltinESMExports()
  assert.equal(await spool.append('next'), 2)
  assert.deepEqual(rows(), [
    [1, 'refused'],
    [2, 'next'],
  ])
})

test('files are removed as a whole once all in them is folded, but for the newest', async () => {
  const { spool, files } = newSpool()
  for (let turn = 0; turn < 12; turn++) await spool.append(MEGABYTE)
  assert.deepEqual(files(), ['0000000000000000.log', '0000000000000005.log', '0000000000000010.log'])
  spool.folded(9)
  assert.equal(spool.rows, 7)
  while (files().length > 2) await new Promise((resolve) => setTimeout(resolve, 1))
  spool.folded(12)
  assert.equal(spool.rows, 2)
  while (files().length > 1) await new Promise((resolve) => setTimeout(resolve, 1))
  assert.deepEqual(files(), ['0000000000000010.log'])
})

test('after a restart it is the same node and the numbers go on', async () => {
  const { spool, open, rows } = newSpool()
  await Promise.all(['one', 'two'].map((line) => spool.append(line)))
  await spool.append('three')
  spool.close()
  const again = open()
  assert.deepEqual([again.node, again.lastSeq, again.rows], [spool.node, 3, 3])
  assert.equal(await again.append('four'), 4)
  assert.deepEqual(rows(2), [
    [3, 'three'],
    [4, 'four'],
  ])
  assert.notEqual(newSpool().spool.node, spool.node)
})

test('closing writes what is queued and refuses what comes later', async () => {
  const { spool, rows } = newSpool()
  const queued = spool.append('line')
  spool.close()
  await queued
  assert.deepEqual(rows(), [[1, 'line']])
  await assert.rejects(spool.append('line'), /closed/)
})

test('numbers start after what the database has folded', async () => {
  const { spool, rows, open } = newSpool()
  await spool.append('old')
  spool.startAfter(41)
  assert.equal(spool.rows, 0)
  await spool.append('new')
  spool.startAfter(7)
  assert.equal(spool.lastSeq, 42)
  assert.deepEqual(rows(41), [[42, 'new']])
  spool.close()
  assert.equal(open().lastSeq, 42)
})

test('whoever may not read the folder of data may not read this one', () => {
  const { folder } = newSpool()
  assert.ok(existsSync(join(folder, 'node')))
  assert.equal(fs.statSync(folder).mode & 0o777, 0o700)
})
