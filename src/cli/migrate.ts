import { statSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import type { Verdict } from '../migrate/compare.ts'
import { type Moved, moveInstallation } from '../migrate/move.ts'
import type { NeededKeys } from '../migrate/stored-secrets.ts'
import { shownAddress } from '../migrate/target.ts'
import { type Given, text, usageError } from './command.ts'
import { createMoveProgress } from './move-progress.ts'
import type { Output } from './output.ts'
import { stopSignal } from './stop-signal.ts'

const NAME = { name: 'migrate' }

/** Moves an embedded installation to PostgreSQL; 0 only when both are equal afterwards. */
export async function migrate(given: Given): Promise<number> {
  const { output, environment } = given
  const [from, to] = [dataFolder(text(given, 'from')), serverAddress(text(given, 'to'))]
  const verifyOnly = given.values['verify-only'] === true
  const progress = createMoveProgress(output, { isTerminal: process.stderr.isTTY, now: () => performance.now() })
  // Any moment is a good one: what has not been committed is done again.
  void stopSignal().then(() => {
    progress.end()
    output.note('switchyard: stopped; run the same command to resume')
    process.exit(1)
  })
  const moved = await moveInstallation({
    from,
    to,
    verifyOnly,
    secretsKeys: environment['SECRETS_KEY'] ? environment['SECRETS_KEY'].split(',').map((key) => key.trim()) : null,
    onSource({ dataDir, folded, interrupted }, counts) {
      output.note(`From ${dataDir}: ${counts.requests.toLocaleString('en')} requests`)
      output.note(`To ${shownAddress(to)}`)
      if (folded > 0) output.note(`${folded} records of the spool were folded into the log first`)
      if (interrupted > 0) output.note(`${interrupted} calls were interrupted and are logged as such`)
      if (counts.content > 0)
        output.note(`The content of ${counts.content} requests is not moved. Read it before it expires if you need it`)
      progress.begin(counts.log)
    },
    onStep(step) {
      progress.end()
      output.note(step)
    },
    onProgress: progress.at,
  })
  print(moved, { output, verifyOnly, to })
  return moved.verdict.isEqual ? 0 : 1
}

/** The folder itself, or the database in it. */
function dataFolder(address: string | undefined): string {
  if (address === undefined) throw usageError(NAME, '--from sqlite:DATA_DIR is missing')
  const path = /^sqlite:(?:\/\/(?=\/))?(.+)$/.exec(address)?.[1]
  if (path === undefined) throw usageError(NAME, `--from is sqlite: and the data folder, not '${address}'`)
  const isFile = statSync(path, { throwIfNoEntry: false })?.isFile() === true
  if (!isFile) return path
  if (basename(path) === 'switchyard.db') return dirname(path)
  throw usageError(NAME, `--from names the data folder or its switchyard.db, not '${path}'`)
}

/** Not repeated in the message: it may hold a password. */
function serverAddress(address: string | undefined): string {
  if (address === undefined) throw usageError(NAME, '--to postgres://USER@HOST/DATABASE is missing')
  if (/^postgres(ql)?:\/\//.test(address) && URL.canParse(address)) return address
  throw usageError(NAME, '--to is the address of a database, postgres://USER@HOST/DATABASE')
}

interface Printing {
  output: Output
  verifyOnly: boolean
  to: string
}

function print({ verdict, keys, zeros }: Moved, { output, verifyOnly, to }: Printing): void {
  const start = verdict.isEqual && !verifyOnly ? startLine(to, keys) : null
  if (output.isJson) output.json({ ...jsonOf(verdict), start })
  else printVerdict(verdict, output)
  if (zeros > 0) {
    output.note(
      `${zeros} zero characters in texts became U+FFFD, because PostgreSQL cannot store them (docs/running/moving-to-postgres.md)`,
    )
  }
  if (!verdict.isEqual) {
    output.note(output.bad('The target differs from the source.'))
    return
  }
  output.note(output.good('Everything is equal.'))
  if (start === null || output.isJson) return
  output.note('Start every gateway like this, here or elsewhere:')
  output.line(start)
  output.note('The embedded database is unchanged: without DATABASE_URL the gateway keeps using it.')
}

/** With the secrets' key by reference only. */
function startLine(to: string, keys: NeededKeys): string {
  const secrets = [keys.environment ? '"$SECRETS_KEY"' : '', keys.file === null ? '' : `"$(cat ${quoted(keys.file)})"`]
  const given = secrets.filter((part) => part !== '').join(',')
  const settings = [`DATABASE_URL=${quoted(shownAddress(to))}`, ...(given === '' ? [] : [`SECRETS_KEY=${given}`])]
  return [...settings, 'switchyard serve'].join(' ')
}

/** For a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

function printVerdict({ tables, months }: Verdict, output: Output): void {
  output.table(
    [{ title: 'table' }, { title: 'rows', isNumber: true }, { title: 'in the target' }],
    tables.map(({ table, rows, differences }) => [table, rows, inTarget(differences)]),
  )
  output.line('')
  output.table(
    [
      { title: 'month' },
      { title: 'workspace' },
      { title: 'requests', isNumber: true },
      { title: 'tokens', isNumber: true },
      { title: 'cost in picodollars', isNumber: true },
      { title: 'in the target' },
    ],
    months.map((row) => [
      row.month,
      row.workspace,
      row.rows,
      row.tokens,
      row.costPicodollars,
      inTarget(row.differences),
    ]),
  )
}

function inTarget(differences: Verdict['tables'][number]['differences']): string {
  if (differences.length === 0) return 'equal'
  return differences.map(({ figure, source, target }) => `${figure} ${target} instead of ${source}`).join('; ')
}

/** Amounts as digits: a program's numbers may not hold them. */
function jsonOf({ isEqual, tables, months }: Verdict): object {
  const digits = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value)
  const shown = months.map(({ costPicodollars, ...month }) => ({ ...month, cost_picodollars: costPicodollars }))
  return JSON.parse(JSON.stringify({ equal: isEqual, tables, months: shown }, digits))
}
