import { DatabaseSync } from 'node:sqlite'
import type { Row } from '../litellm/database/rows.ts'

/** The tables of a one-api or new-api database that matter here. */
export interface OneApiTables {
  tokens: Row[]
  users: Row[]
  channels: Row[]
  options: Row[]
}

export class NoOneApiDatabase extends Error {}

/** Reads the SQLite file, which is not changed. A deleted row keeps its place with `deleted_at`. */
export function readOneApi(path: string): OneApiTables {
  const database = new DatabaseSync(path, { readOnly: true })
  try {
    const rows = database.prepare(`select name from sqlite_master where type = 'table'`).all()
    const tables = new Set(rows.map(({ name }) => String(name)))
    if (!tables.has('tokens') || !tables.has('channels')) {
      throw new NoOneApiDatabase('there are no tables "tokens" and "channels" in this file')
    }
    const all = (name: string): Row[] => {
      if (!tables.has(name)) return []
      const found: Row[] = database.prepare(`select * from "${name}"`).all()
      return found.filter((row) => row['deleted_at'] === undefined || row['deleted_at'] === null)
    }
    return { tokens: all('tokens'), users: all('users'), channels: all('channels'), options: all('options') }
  } catch (error) {
    if (error instanceof NoOneApiDatabase) throw error
    throw new NoOneApiDatabase(`not a SQLite database: ${error instanceof Error ? error.message : String(error)}`)
  } finally {
    database.close()
  }
}
