import { lstatSync, readFileSync, realpathSync, type Stats } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Environment } from '../../app/config.ts'
import { CliError } from '../cli-error.ts'
import { editEnv } from './edit/edit-env.ts'
import { editJson } from './edit/edit-json.ts'
import { editToml } from './edit/edit-toml.ts'
import { editYaml } from './edit/edit-yaml.ts'
import { type Change, type Editor, type Setting, UnreadableFile } from './edit/setting.ts'
import type { Format, Written, WrittenFile, WrittenSetup } from './written-agent-setups.ts'

/** A file as it is and as it will be. */
export interface FilePlan {
  /** Where the tool looks. */
  path: string
  /** Where the file is; another place behind a link. */
  target: string
  /** null: it is not there. */
  before: string | null
  after: string
  mode: number
  owner: Pick<Stats, 'uid' | 'gid'> | null
  changes: Change[]
}

/** The whole file is one value. */
const editText: Editor = (text, [setting]) => {
  const value = `${setting?.value ?? ''}\n`
  if (setting === undefined || text === value) return { text, changes: [] }
  return { text: value, changes: [{ setting, before: text === '' ? null : text.trim() }] }
}

const EDITORS: Readonly<Record<Format, Editor>> = {
  json: editJson,
  toml: editToml,
  yaml: editYaml,
  variables: editEnv,
  text: editText,
}

/** With the mode of a file that holds a key. */
const PRIVATE = 0o600

/** Reads the files and says what becomes of them; writes nothing. */
export function planFiles(setup: WrittenSetup, given: Omit<Written, 'folder'>, environment: Environment): FilePlan[] {
  const folder = folderOf(setup, environment)
  return setup.files({ ...given, folder }).map((file) => planFile(folder, file))
}

function folderOf({ variable, folder, below = '' }: WrittenSetup, environment: Environment): string {
  const named = variable === undefined ? undefined : environment[variable]
  if (named !== undefined && named !== '') return join(named, below)
  return join(environment['HOME'] || homedir(), folder)
}

function planFile(folder: string, { path, other, format, settings }: WrittenFile): FilePlan {
  const place = [other, path].filter((each) => each !== undefined).map((each) => join(folder, each))
  const chosen = place.find((each) => found(each) !== null) ?? join(folder, path)
  const stats = found(chosen)
  const target = stats?.isSymbolicLink() ? followed(chosen) : chosen
  const file = found(target)
  if (file !== null && !file.isFile()) throw new CliError(`${target} is not a file`, 1)
  const before = file === null ? null : readText(target)
  const { text: after, changes } = edited(chosen, EDITORS[format], before ?? '', settings)
  const mode = file === null ? PRIVATE : file.mode & 0o777
  const holdsKey = settings.some(({ isSecret }) => isSecret)
  return { path: chosen, target, before, after, mode: holdsKey ? PRIVATE : mode, owner: file, changes }
}

function edited(path: string, edit: Editor, before: string, settings: readonly Setting[]) {
  try {
    const result = edit(before, settings)
    // A result that would be edited again was not understood.
    if (edit(result.text, settings).changes.length > 0) throw new UnreadableFile('it is written in an unusual way')
    return result
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error
    throw new CliError(`${path}: ${error.message}. Nothing was changed; repair it, or paste the settings yourself`, 1)
  }
}

function found(path: string): Stats | null {
  try {
    return lstatSync(path)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw new CliError(`${path} cannot be read`, 1)
  }
}

function followed(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    throw new CliError(`${path} is a link to a file that is not there`, 1)
  }
}

function readText(path: string): string {
  let bytes: Buffer
  try {
    bytes = readFileSync(path)
  } catch {
    throw new CliError(`${path} cannot be read`, 1)
  }
  const text = bytes.toString('utf8')
  if (!Buffer.from(text).equals(bytes)) throw new CliError(`${path} is not UTF-8 text`, 1)
  return text
}
