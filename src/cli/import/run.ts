import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { stringify } from 'yaml'
import { parseFileConfig } from '../../app/config.ts'
import type { MappedConfig, NeededVariable } from '../../import/litellm/mapped-config.ts'
import { isClean, looserOf, reportLines, summaryOf } from '../../import/report.ts'
import { CliError } from '../cli-error.ts'
import { type Given, text, usageError } from '../command.ts'
import { applyReviewed } from '../config-commands.ts'
import { applyRows, type MovedRows } from './apply-rows.ts'
import { envFileText } from './env-file.ts'

const MASTER = 'litellm-master'

/** What was read of another gateway. */
export interface Moved extends Pick<MappedConfig, 'config' | 'findings' | 'variables'> {
  masterKey: MappedConfig['masterKey']
  /** Workspaces and keys; null: only a configuration was read. */
  rows: MovedRows | null
  close(): Promise<void>
}

/** Without --apply nothing is changed: the report, and the files that were asked for. */
export async function runMoved(given: Given, moved: Moved): Promise<number> {
  const { findings } = moved
  const yaml = stringify(moved.config, { aliasDuplicateObjects: false })
  if (given.values['apply'] !== true || !given.output.isJson) printReport(given, moved)
  writeFiles(given, yaml, moved.variables)
  if (given.values['apply'] !== true) return isClean(findings) ? 0 : 3
  const looser = looserOf(findings)
  if (looser.length > 0 && text(given, 'accept') !== 'looser') {
    const paths = looser.map(({ path }) => path).join(', ')
    throw new CliError(
      `nothing was applied: ${looser.length} settings would be looser than before (${paths}); add --accept looser if you want that`,
      1,
    )
  }
  return applyMoved(given, moved, yaml)
}

export function checkAccept(given: Given, name: string): void {
  const accept = text(given, 'accept')
  if (accept !== undefined && accept !== 'looser') throw usageError({ name }, '--accept takes looser')
}

function printReport({ output, values }: Given, { findings, variables, config, rows }: Moved): void {
  if (output.isJson) {
    const needed = variables.map(({ name, secret, why }) => ({ name, why, is_in_file: secret !== null }))
    const keys = rows === null ? {} : { workspaces: rows.workspaces.length, keys: rows.count }
    output.json({ summary: summaryOf(findings), findings, variables: needed, ...keys, config })
    return
  }
  for (const line of reportLines(findings)) output.line(line)
  if (variables.length > 0) {
    output.line('')
    output.line('Variables that the gateway needs at its start:')
    output.table(
      [{ title: 'name' }, { title: 'for' }],
      variables.map(({ name, why }) => [name, why]),
    )
  }
  if (rows !== null)
    output.line(`\n${rows.workspaces.length} workspaces and ${rows.count} keys can move in with --apply.`)
  if (values['out'] === undefined && values['apply'] !== true) {
    output.note('Nothing was written. Add --out switchyard.yaml to write the configuration, or --apply to apply it.')
  }
}

function writeFiles(given: Given, yaml: string, variables: readonly NeededVariable[]): void {
  const [out, secrets] = [text(given, 'out'), text(given, 'secrets-file')]
  if (secrets !== undefined) writeNew(secrets, envFileText(variables))
  if (out === undefined) return
  const isThere = existsSync(out)
  if (isThere && readFileSync(out, 'utf8') === yaml) {
    given.output.note(`${out} is up to date.`)
    return
  }
  if (isThere) throw new CliError(`${out} exists and differs: remove it, or write to another file`, 2)
  writeFileSync(out, yaml)
  given.output.note(`${out} written.`)
}

/** Never over another file: it may hold secrets of something else. */
function writeNew(path: string, content: string): void {
  try {
    writeFileSync(path, content, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    const isThere = error instanceof Error && 'code' in error && error.code === 'EEXIST'
    throw new CliError(`--secrets-file: ${path} ${isThere ? 'exists already' : 'cannot be written'}`, 2)
  }
}

async function applyMoved(given: Given, { variables, masterKey, rows, config }: Moved, yaml: string): Promise<number> {
  const secrets = Object.fromEntries(variables.flatMap(({ name, secret }) => (secret === null ? [] : [[name, secret]])))
  const body = parseFileConfig(yaml, 'the imported configuration', { ...given.environment, ...secrets })
  const code = await applyReviewed(given, { query: { prune: 'false' }, body })
  if (code !== 0) return code
  if (masterKey !== null) await adoptMasterKey(given, masterKey.hash)
  return rows === null ? 0 : applyRows(given, rows, config.workspaces?.['default']?.direct_models)
}

/**
 * The callers' master key goes on working, as a gateway key; LiteLLM's API takes it as an admin, where that is on. It is
 * known by its hash: a key of the same name may be another one, and a revoked one stays revoked. Key and mark are one
 * change; one that came here without the mark gets it now.
 */
async function adoptMasterKey({ client, output }: Given, hash: string): Promise<void> {
  const keys = [{ workspace: 'default', name: MASTER, hash, litellm_master: true }]
  const { created, changed, renamed, refused } = await client.call('keys.adopt-many', { body: { keys } })
  for (const { reason } of refused) output.note(`The master key was not moved: ${reason}`)
  if (created > 0) {
    const name = renamed[0]?.name ?? MASTER
    output.note(`The master key works for callers as the key ${name}, and for tools of LiteLLM with LITELLM_API=on.`)
  }
  if (changed > 0)
    output.note('The master key, which was here already, now works for tools of LiteLLM with LITELLM_API=on.')
}
