import { importOneApi } from '../../import/one-api/import-one-api.ts'
import { NoOneApiDatabase } from '../../import/one-api/read-database.ts'
import { CliError } from '../cli-error.ts'
import type { Given } from '../command.ts'
import { takenHere } from './apply-rows.ts'
import { checkAccept, runMoved } from './run.ts'

export async function runOneApi(given: Given): Promise<number> {
  checkAccept(given, 'import one-api')
  const [path = ''] = given.positionals
  const taken = await takenHere(given)
  try {
    const { keys, workspaces, ...read } = importOneApi(path, { taken, now: Date.now() })
    const rows = {
      workspaces,
      count: keys.length,
      async *keys() {
        for (let from = 0; from < keys.length; from += PAGE) yield keys.slice(from, from + PAGE)
      },
    }
    return await runMoved(given, { ...read, rows, masterKey: null, close: async () => {} })
  } catch (error) {
    if (error instanceof NoOneApiDatabase) throw new CliError(`${path}: ${error.message}`, 2)
    throw error
  }
}

const PAGE = 1_000
