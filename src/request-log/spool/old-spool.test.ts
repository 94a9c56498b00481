import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { closeRecord, openRecord } from '../../../test/test-store.ts'
import { closeLine, openLine, recordsOf } from './lines.ts'
import { takeOverOldSpool } from './old-spool.ts'
import { SpoolReader } from './reader.ts'
import { spoolNode } from './segments.ts'

const root = mkdtempSync(join(tmpdir(), 'switchyard-old-spool-'))
after(() => rmSync(root, { recursive: true, force: true }))

function oldSpool(rows: readonly (readonly [seq: number, kind: string, payload: string])[]): string {
  const dataDir = mkdtempSync(join(root, 'data-'))
  const database = new DatabaseSync(join(dataDir, 'spool.db'))
  database.exec(`
    create table spool (seq integer primary key, kind text not null, payload text not null);
    create table meta (name text primary key, value text not null);
    insert into meta values ('node', 'the-node')`)
  for (const row of rows) database.prepare('insert into spool values (?, ?, ?)').run(...row)
  database.close()
  return dataDir
}

const OPENED = openLine(openRecord('a'))
const CLOSED = closeLine(closeRecord('a'))

test('rows, numbers and node go over, in whichever form a version wrote them; the old file goes', () => {
  const dataDir = oldSpool([
    [41, 'open', JSON.stringify(openRecord('a'))],
    [42, 'close', JSON.stringify(closeRecord('a'))],
    [44, 'group', `${OPENED}\n${CLOSED}`],
    [45, 'close', '{no JSON\n'],
  ])
  takeOverOldSpool(dataDir)
  assert.deepEqual(readdirSync(dataDir), ['spool'])
  const folder = join(dataDir, 'spool')
  assert.equal(spoolNode(folder), 'the-node')
  const records = new SpoolReader(folder).read(0).flatMap(recordsOf)
  assert.deepEqual(
    records.map(({ seq, kind, text }) => [seq, kind, text]),
    [
      [41, 'open', OPENED],
      [42, 'close', CLOSED],
      [43, 'open', OPENED],
      [44, 'close', CLOSED],
      [45, 'close', 'c{no JSON '],
    ],
  )
})

test('an empty one leaves its node', () => {
  const dataDir = oldSpool([])
  takeOverOldSpool(dataDir)
  assert.deepEqual(readdirSync(dataDir), ['spool'])
  assert.equal(spoolNode(join(dataDir, 'spool')), 'the-node')
})

test('what was cut off is done again; what was done is not', () => {
  const dataDir = oldSpool([[1, 'group', OPENED]])
  mkdirSync(join(dataDir, 'spool.new'))
  writeFileSync(join(dataDir, 'spool.new', '0000000000000000.log'), 'half of it')
  takeOverOldSpool(dataDir)
  assert.deepEqual(new SpoolReader(join(dataDir, 'spool')).read(0), [{ seq: 1, payload: OPENED }])
  // Cut off before the old file was removed.
  const again = oldSpool([[1, 'group', CLOSED]])
  mkdirSync(join(again, 'spool'))
  takeOverOldSpool(again)
  assert.deepEqual([readdirSync(again), readdirSync(join(again, 'spool'))], [['spool'], []])
})

test('a file of this name that is no spool is left alone', () => {
  const dataDir = mkdtempSync(join(root, 'data-'))
  writeFileSync(join(dataDir, 'spool.db'), 'my notes')
  takeOverOldSpool(dataDir)
  assert.deepEqual([existsSync(join(dataDir, 'spool')), readdirSync(dataDir)], [false, ['spool.db']])
})
