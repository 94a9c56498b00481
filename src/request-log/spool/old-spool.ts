import { existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { closeLine, openLine } from './lines.ts'
import { listSegments, makeSpoolFolder, syncPath } from './segments.ts'
import { SpoolWriter } from './writer.ts'

/** The table of earlier versions: one row for each turn of the event loop, or one for each record. */
interface OldRow {
  seq: number
  kind: string
  payload: string
}

/**
 * Earlier versions kept the spool in `spool.db`. What it still holds, its numbers and whose it is go into the folder
 * that has taken its place; cut off at any point, it is done again from the beginning.
 */
export function takeOverOldSpool(dataDir: string): void {
  const old = join(dataDir, 'spool.db')
  const folder = join(dataDir, 'spool')
  if (!existsSync(old)) return
  if (!existsSync(folder)) {
    const made = `${folder}.new`
    rmSync(made, { recursive: true, force: true })
    if (!copyRows(old, made)) return
    for (const { path } of listSegments(made)) syncPath(path)
    renameSync(made, folder)
  }
  for (const suffix of ['-wal', '-shm', '']) rmSync(`${old}${suffix}`, { force: true })
}

function copyRows(path: string, folder: string): boolean {
  const database = new DatabaseSync(path)
  try {
    const node = nodeOf(database)
    if (node === null) return false
    makeSpoolFolder(folder, node)
    const writer = new SpoolWriter(folder, { synchronousFull: false })
    const rows = database.prepare('select seq, kind, payload from spool order by seq')
    for (const { seq, kind, payload } of rows.iterate() as Iterable<unknown> as Iterable<OldRow>) {
      const text = kind === 'group' ? payload : lineOf(kind, payload)
      const records = text.split('\n').length
      if (writer.lastSeq === 0) writer.startAfter(seq - records)
      writer.append(records, text)
    }
    writer.close()
    return true
  } finally {
    database.close()
  }
}

/** Null: it is no spool of ours, and nothing that we may remove. */
function nodeOf(database: DatabaseSync): string | null {
  try {
    const node = database.prepare(`select value from meta where name = 'node'`).get()?.['value']
    return typeof node === 'string' ? node : null
  } catch {
    return null
  }
}

/** What cannot be read stays as it is: the fold puts it aside. */
function lineOf(kind: string, payload: string): string {
  try {
    return kind === 'open' ? openLine(JSON.parse(payload)) : closeLine(JSON.parse(payload))
  } catch {
    return `${kind === 'open' ? 'o' : 'c'}${payload.replaceAll('\n', ' ')}`
  }
}
