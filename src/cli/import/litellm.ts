import { readFileSync } from 'node:fs'
import { readBuiltinModels } from '../../import/builtin-models.ts'
import { NoLitellmDatabase } from '../../import/litellm/database/database.ts'
import { importDatabase } from '../../import/litellm/database/import-database.ts'
import { ImportError } from '../../import/litellm/import-error.ts'
import { mapConfig } from '../../import/litellm/map-config.ts'
import { readLitellmFile } from '../../import/litellm/read-file.ts'
import type { LitellmSource } from '../../import/litellm/source.ts'
import { CliError } from '../cli-error.ts'
import { type Given, text, usageError } from '../command.ts'
import { createMoveProgress } from '../move-progress.ts'
import { readInput, readJsonFile } from '../read-input.ts'
import { takenHere } from './apply-rows.ts'
import { checkAccept, type Moved, runMoved } from './run.ts'

const NAME = { name: 'import litellm' }

export async function runImport(given: Given): Promise<number> {
  checkAccept(given, NAME.name)
  const address = text(given, 'database')
  if (address === undefined && text(given, 'salt-key-file') !== undefined) {
    throw usageError(NAME, '--salt-key-file is for --database')
  }
  const moved = await readMoved(given, address)
  try {
    return await runMoved(given, moved)
  } finally {
    await moved.close()
  }
}

async function readMoved(given: Given, address: string | undefined): Promise<Moved> {
  const [path = ''] = given.positionals
  const file = text(given, 'prices')
  const prices = file === undefined ? undefined : await readPrices(file)
  const options = {
    environment: given.environment,
    now: Date.now(),
    builtin: readBuiltinModels(),
    ...(prices && { prices }),
  }
  try {
    const source = await readLitellmFile(path, readInput)
    if (address !== undefined) return await readWithDatabase(given, source, address, options)
    if (source.models.length === 0) throw new ImportError(`${path} has no model_list: there is nothing to import`)
    return { ...mapConfig(source, options), rows: null, close: async () => {} }
  } catch (error) {
    if (error instanceof ImportError) throw new CliError(error.message, 2)
    throw error
  }
}

type MapOptions = Parameters<typeof mapConfig>[1]

async function readWithDatabase(
  given: Given,
  source: LitellmSource,
  address: string,
  options: MapOptions,
): Promise<Moved> {
  if (!/^postgres(ql)?:\/\//.test(address) || !URL.canParse(address)) {
    throw usageError(NAME, '--database is the address of a database, postgres://USER@HOST/NAME')
  }
  const { output } = given
  const progress = createMoveProgress(output, { isTerminal: process.stderr.isTTY, now: () => performance.now() })
  try {
    const imported = await importDatabase(source, {
      address,
      saltKey: saltKeyOf(given, source),
      strict: given.values['strict'] === true,
      now: options.now,
      taken: await takenHere(given),
      mapConfig: (merged, isOnlyWorkspace) => mapConfig(merged, { ...options, isOnlyWorkspace }),
      onProgress(done, all) {
        progress.begin(all)
        progress.at('reading keys', done)
      },
    })
    const { mapped, workspaces, counts, keys, close } = imported
    const findings = [...mapped.findings, ...imported.findings]
    return { ...mapped, findings, rows: { workspaces, count: counts.moved, keys }, close }
  } catch (error) {
    if (error instanceof NoLitellmDatabase) throw new CliError(`--database: ${error.message}`, 2)
    // The message of the driver names the host and the reason, never the password.
    if (error instanceof Error && 'code' in error) throw new CliError(`--database: ${error.message}`, 2)
    throw error
  } finally {
    progress.end()
  }
}

/** Of a file or the environment, as LiteLLM has it; without one it uses its master key. */
function saltKeyOf(given: Given, { general }: LitellmSource): string | null {
  const file = text(given, 'salt-key-file')
  if (file !== undefined) return readFileSync(file, 'utf8').trim()
  const { environment } = given
  const written = general.values['master_key']
  const name = typeof written === 'string' ? /^os\.environ\/(\w+)$/.exec(written)?.[1] : undefined
  const master = name === undefined ? written : environment[name]
  const key =
    environment['LITELLM_SALT_KEY'] ?? (typeof master === 'string' ? master : environment['LITELLM_MASTER_KEY'])
  return key ?? null
}

async function readPrices(file: string): Promise<Record<string, unknown>> {
  const value = await readJsonFile(file)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  throw new CliError(`--prices: ${file} is not LiteLLM's price list`, 2)
}
