import assert from 'node:assert/strict'
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { type Damage, refuseLoss, SpoolReader } from './reader.ts'
import { SpoolWriter } from './writer.ts'

const root = mkdtempSync(join(tmpdir(), 'switchyard-spool-reader-'))
after(() => rmSync(root, { recursive: true, force: true }))

let folders = 0
const newFolder = () => join(root, `${++folders}`)
const openWriter = (folder: string) => new SpoolWriter(folder, { synchronousFull: false })
const FIRST_FILE = '0000000000000000.log'

function payloads(reader: SpoolReader, after: number): unknown[] {
  return reader.read(after).map(({ seq, payload }) => [seq, payload])
}

test('a file that was cut off at any byte is read up to its last whole frame, and the numbers go on from there', async () => {
  const whole = newFolder()
  const writer = openWriter(whole)
  writer.append(2, 'one\ntwo')
  const first = readFileSync(join(whole, FIRST_FILE)).length
  writer.append(1, 'drei – 3')
  const bytes = readFileSync(join(whole, FIRST_FILE))
  for (let end = 0; end < bytes.length; end++) {
    const folder = newFolder()
    openWriter(folder)
    writeFileSync(join(folder, FIRST_FILE), bytes.subarray(0, end))
    const damages: Damage[] = []
    const before = new SpoolReader(folder)
    const kept = end < first ? [] : [[2, 'one\ntwo']]
    assert.deepEqual(payloads(before, 0), kept, `${end} bytes`)
    before.close()
    const again = new SpoolWriter(folder, { synchronousFull: false, onDamage: (damage) => damages.push(damage) })
    assert.equal(again.lastSeq, kept.length * 2)
    again.append(1, 'later')
    const seq = kept.length * 2
    const reader = new SpoolReader(folder)
    assert.deepEqual(payloads(reader, seq), [[seq + 1, 'later']], `${end} bytes`)
    const torn = end > first ? end - first : end === first ? 0 : end
    assert.deepEqual(damages, torn === 0 ? [] : [{ path: join(folder, FIRST_FILE), bytes: torn, records: 0 }])
    // Nothing of it is lost: without a whole frame it is put aside at once, otherwise when the rest is folded.
    assert.equal(again.keep(join(folder, FIRST_FILE)), end <= first)
    again.removeUpTo(3)
    const aside = () => readdirSync(folder).filter((name) => name.endsWith('.damaged'))
    while (aside().length < damages.length) await new Promise((resolve) => setTimeout(resolve, 1))
    if (torn > 0) assert.deepEqual(readFileSync(join(folder, `${FIRST_FILE}.damaged`)), bytes.subarray(0, end))
    reader.close()
    again.close()
  }
})

test('a byte that changed ends a file, and how many records are lost is told', () => {
  const folder = newFolder()
  const writer = openWriter(folder)
  for (const line of ['one', 'two', 'three']) writer.append(1, line)
  writer.close()
  const next = openWriter(folder)
  next.append(1, 'four')
  const path = join(folder, FIRST_FILE)
  const bytes = readFileSync(path)
  bytes.write('T', bytes.indexOf('two'))
  writeFileSync(path, bytes)
  const damages: Damage[] = []
  const reader = new SpoolReader(folder, (damage) => damages.push(damage))
  // Readable records are delivered before damage is reported: a reader that then stops already has them.
  assert.deepEqual([payloads(reader, 0), damages], [[[1, 'one']], []])
  assert.deepEqual(payloads(reader, 1), [[4, 'four']])
  const damage = { path, bytes: bytes.length - 15, records: 2 }
  assert.deepEqual(damages, [damage])
  assert.throws(
    () => refuseLoss(damage),
    /^StoreError: 2 records are missing: the last 32 bytes of .*\.log cannot be read/,
  )
  refuseLoss({ ...damage, records: 0 })
})

test('zeros, as a power cut can leave them behind, are no records', () => {
  const folder = newFolder()
  openWriter(folder).append(1, 'one')
  appendFileSync(join(folder, FIRST_FILE), Buffer.alloc(4096))
  assert.deepEqual(payloads(new SpoolReader(folder), 0), [[1, 'one']])
  assert.equal(openWriter(folder).lastSeq, 1)
})

test('reading goes on from any row, in whichever file it lies, with the batch of a transaction at a time', () => {
  const folder = newFolder()
  const writer = openWriter(folder)
  const line = 'x'.repeat(3_000)
  for (let row = 1; row <= 3_000; row++) writer.append(2, `${row}${line}\n`)
  assert.ok(readdirSync(folder).length > 3)
  const reader = new SpoolReader(folder)
  const read: number[] = []
  for (let batch = reader.read(0); batch.length > 0; batch = reader.read(read.at(-1) ?? 0)) {
    assert.ok(batch.length <= 1_000)
    read.push(...batch.map(({ seq }) => seq))
  }
  assert.deepEqual(
    read,
    Array.from({ length: 3_000 }, (_, row) => 2 * (row + 1)),
  )
  for (const after of [0, 2_798, 2_800, 5_998, 6_000]) {
    const [next] = new SpoolReader(folder).read(after)
    assert.equal(next?.seq, after === 6_000 ? undefined : after + 2)
    // The same one again, as after a transaction that failed.
    assert.equal(reader.read(after)[0]?.seq, next?.seq)
  }
})

test('a group larger than what is read at a time is read as a whole', () => {
  const folder = newFolder()
  const writer = openWriter(folder)
  const reader = new SpoolReader(folder)
  const long = 'ß'.repeat(2_000_000)
  writer.append(1, 'short')
  writer.append(1, long)
  writer.append(1, 'short')
  assert.deepEqual(payloads(reader, 0), [
    [1, 'short'],
    [2, long],
    [3, 'short'],
  ])
})

test('a database that is behind the oldest file gets what there is', () => {
  const folder = newFolder()
  const writer = openWriter(folder)
  writer.startAfter(70)
  writer.append(1, 'line')
  const reader = new SpoolReader(folder)
  assert.deepEqual(payloads(reader, 12), [[71, 'line']])
  assert.deepEqual(reader.end(), { seq: 71, unread: null })
})

test('an empty folder has nothing, until something comes', () => {
  const folder = newFolder()
  const writer = openWriter(folder)
  const reader = new SpoolReader(folder)
  assert.deepEqual([payloads(reader, 0), reader.end()], [[], null])
  writer.append(1, 'line')
  assert.deepEqual(payloads(reader, 0), [[1, 'line']])
})
