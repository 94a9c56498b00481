import assert from 'node:assert/strict'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { newFolder, startHarness } from '../harness.ts'
import { postgresBinaries, startPostgres } from '../postgres.ts'
import { restoreDump, storedVersions, unpack } from './stored.ts'
import { assertKept } from './upgraded.ts'

const server = await startPostgres()
after(() => server.stop())

describe('what an older version left when it was killed is taken over, and nothing of it is lost', () => {
  const stored = storedVersions()
  assert.ok(stored.length > 0)
  for (const { version, engine, folder, witness } of stored) {
    test(`${version} on ${engine}`, async () => {
      const own = newFolder()
      try {
        unpack(folder, join(own, 'data'))
        const database = engine === 'postgres' ? await server.createDatabase() : null
        if (database !== null) restoreDump(folder, postgresBinaries(), database)
        const environment: Record<string, string> = database === null ? {} : { DATABASE_URL: database }
        const first = await startHarness({ folder: own, environment })
        await assertKept(first, witness).finally(() => first.stop())
        // The second start finds a database of this version, and the same rows.
        const second = await startHarness({ folder: own, environment })
        await assertKept(second, witness).finally(() => second.stop())
      } finally {
        rmSync(own, { recursive: true, force: true })
      }
    })
  }
})

test('what a newer version has written differently is refused, and left as it is', async () => {
  const own = newFolder()
  try {
    mkdirSync(join(own, 'data/spool'), { recursive: true })
    writeFileSync(join(own, 'data/spool/format'), '2\n')
    await assert.rejects(
      startHarness({ folder: own }),
      /spool is of format 2, this version knows 1: a newer version wrote it; run that one/,
    )
  } finally {
    rmSync(own, { recursive: true, force: true })
  }
})
