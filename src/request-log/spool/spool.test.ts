import assert from 'node:assert/strict'
import fs, { cpSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, mock, test } from 'node:test'
import { GatewayError } from '../../domain/errors.ts'
import { SpoolReader } from './reader.ts'
import { hasReserve, makeReserve, RESERVE_BYTES } from './reserve.ts'
import { Spool } from './spool.ts'
import { SpoolWriter, type WriteSync } from './writer.ts'

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

/** A disk on which the test says when writes fail, and when there is room again. */
function failingDisk(synchronousFull = false) {
  const { folder, rows } = newSpool()
  let failure: string | null = null
  let isHalf = false
  let room = Promise.withResolvers<void>()
  const write: WriteSync = (file, bytes, from, length, at) => {
    // What was set aside is there already, and is only written over.
    const fits = failure === null || fs.fstatSync(file).size === RESERVE_BYTES
    if (fits) return fs.writeSync(file, bytes, from, length, at)
    // As a disk that fills up: a part is written, then nothing more.
    isHalf = !isHalf
    if (isHalf) return fs.writeSync(file, bytes, from, Math.min(20, length), at)
    throw new Error(failure ?? '')
  }
  const said: string[] = []
  const say = (_details: object, message: string) => void said.push(message.split(':')[0] ?? '')
  const log = { info: say, warn: say, error: say }
  const disk = { write, makeReserve: () => room.promise, retryMs: 1 }
  return {
    spool: new Spool(folder, { synchronousFull, onCommit() {}, log, disk }),
    folder,
    rows,
    said,
    fail(message: string) {
      failure = message
    },
    async mend(spool: Spool) {
      failure = null
      room.resolve()
      while (spool.problem !== null) await new Promise((resolve) => setTimeout(resolve, 1))
      room = Promise.withResolvers()
    },
  }
}

const isLogFull = (error: unknown) => error instanceof GatewayError && error.code === 'log_full'

for (const synchronousFull of [false, true]) {
  for (const failure of ['ENOSPC: no space left', 'EIO: i/o error', 'EDQUOT: quota', 'EROFS: read-only']) {
    test(`what begins is refused and what ends waits until it can be written: ${failure}, ${synchronousFull}`, async () => {
      const { spool, rows, said, fail, mend } = failingDisk(synchronousFull)
      await spool.append('first')
      fail(failure)
      const refused = [spool.append('a long line that is cut off'), spool.append('line')]
      const end = spool.appendEnd('its end')
      for (const each of refused) await assert.rejects(each, isLogFull)
      assert.equal(spool.problem, failure)
      await assert.rejects(spool.append('later'), isLogFull)
      const another = spool.appendEnd('another end')
      await spool.settled()
      assert.deepEqual([spool.pending, rows()], [2, [[1, 'first']]])
      await mend(spool)
      assert.deepEqual([await end, await another], [3, 3])
      assert.equal(await spool.append('next'), 4)
      assert.deepEqual(rows(), [
        [1, 'first'],
        [3, 'its end\nanother end'],
        [4, 'next'],
      ])
      assert.deepEqual(said, ['the spool cannot be written', 'the spool can be written again'])
      await spool.close()
    })
  }
}

test('the first of all writes fails: nothing is lost when the same file is begun again', async () => {
  const { spool, rows, fail, mend } = failingDisk()
  fail('ENOSPC: no space left')
  const end = spool.appendEnd('its end')
  await spool.settled()
  await mend(spool)
  assert.equal(await end, 1)
  await spool.append('next')
  await spool.close()
  assert.deepEqual(rows(), [
    [1, 'its end'],
    [2, 'next'],
  ])
})

test('ends go to the reserve at once; whoever reads it, also after a crash, finds no damage', async () => {
  const { spool, folder, rows, fail, mend } = failingDisk()
  await makeReserve(folder)
  await spool.append('first')
  fail('ENOSPC: no space left')
  const refused = spool.append('refused')
  assert.equal(await spool.appendEnd('its end'), 2)
  await assert.rejects(refused, isLogFull)
  assert.equal(await spool.appendEnd('another end'), 3)
  const written = [
    [1, 'first'],
    [2, 'its end'],
    [3, 'another end'],
  ]
  assert.deepEqual(rows(), written)
  assert.deepEqual(readdirSync(folder).sort(), ['0000000000000000.log', '0000000000000001.log', 'node'])

  const damages: unknown[] = []
  const crashed = join(root, 'crashed')
  cpSync(folder, crashed, { recursive: true })
  const after = new SpoolWriter(crashed, { synchronousFull: false, onDamage: (damage) => damages.push(damage) })
  after.append(1, 'after the crash')
  const reader = new SpoolReader(crashed, (damage) => damages.push(damage))
  assert.deepEqual(
    reader.read(0).map(({ seq, payload }) => [seq, payload]),
    [...written, [4, 'after the crash']],
  )
  assert.deepEqual(damages, [])

  await mend(spool)
  assert.equal(await spool.append('next'), 4)
  assert.ok(fs.statSync(join(folder, '0000000000000001.log')).size < RESERVE_BYTES)
  assert.deepEqual(rows(), [...written, [4, 'next']])
  await spool.close()
})

test('a reserve is made at the start, and no call begins before there is room for it', async () => {
  const { spool, folder } = newSpool()
  spool.reserveRoom()
  while (!hasReserve(folder)) await new Promise((resolve) => setTimeout(resolve, 1))
  assert.deepEqual([spool.problem, fs.statSync(join(folder, 'reserve')).mode & 0o777], [null, 0o600])
  await spool.close()
  const full = join(root, 'full')
  const makeFails = async () => {
    throw new Error('ENOSPC: only 5 bytes are free')
  }
  const disk = { makeReserve: makeFails, retryMs: 1 }
  const without = new Spool(full, { synchronousFull: false, onCommit() {}, disk })
  without.reserveRoom()
  while (without.problem === null) await new Promise((resolve) => setTimeout(resolve, 1))
  await assert.rejects(without.append('line'), isLogFull)
  await without.close()
})

test('what the disk refuses only after it was written keeps its number: a reader may have seen it', async () => {
  const { folder, rows } = newSpool()
  const spool = new Spool(folder, { synchronousFull: true, onCommit() {} })
  const broken = mock.method(fs, 'fdatasyncSync', () => {
    throw new Error('EIO')
  })
  syncBuiltinESMExports()
  await assert.rejects(spool.append('refused'), isLogFull)
  broken.mock.restore()
  syncBuiltinESMExports()
  assert.equal(await spool.appendEnd('next'), 2)
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
  void spool.close()
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
  void spool.close()
  await queued
  assert.deepEqual(rows(), [[1, 'line']])
  await assert.rejects(spool.append('line'), /closed/)
})

test('numbers start after what the database has folded', async () => {
  const { spool, rows, open } = newSpool()
  await spool.append('old')
  spool.startAfter(41)
  assert.deepEqual(rows(), [[1, 'old']], 'the database may not have all of it')
  await spool.append('new')
  spool.startAfter(7)
  assert.equal(spool.lastSeq, 42)
  spool.folded(41)
  assert.equal(spool.rows, 1)
  assert.deepEqual(rows(41), [[42, 'new']])
  void spool.close()
  assert.equal(open().lastSeq, 42)
})

test('whoever may not read the folder of data may not read this one', () => {
  const { folder } = newSpool()
  assert.ok(existsSync(join(folder, 'node')))
  assert.equal(fs.statSync(folder).mode & 0o777, 0o700)
})
