import assert from 'node:assert/strict'
import { appendFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { emptySpool } from './empty-spool.ts'
import type { Damage } from './reader.ts'
import { listSegments } from './segments.ts'
import { SpoolWriter } from './writer.ts'

test('files go, those that could not be read are kept aside, and the id stays', () => {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-spool-'))
  const writer = new SpoolWriter(folder, { synchronousFull: false })
  for (let file = 0; file < 3; file++) {
    writer.append(1, `record ${file}`)
    writer.endFile()
  }
  writer.close()
  writeFileSync(join(folder, 'reserve'), '')
  const [, second, third] = listSegments(folder).map(({ path }) => path)
  appendFileSync(third ?? '', 'half a frame')
  const reported: Damage[] = []
  emptySpool(folder, new Set([second ?? '']), (damage) => reported.push(damage))
  assert.deepEqual(readdirSync(folder).sort(), ['0000000000000001.log.damaged', '0000000000000002.log.damaged', 'node'])
  assert.deepEqual(
    reported.map(({ path }) => path),
    [third],
  )
  rmSync(folder, { recursive: true })
})
