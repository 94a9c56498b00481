import { readFileSync } from 'node:fs'
import { text as readAll } from 'node:stream/consumers'
import { CliError } from './cli-error.ts'

/** The text of a file, or of standard input for `-`. */
export async function readInput(path: string): Promise<string> {
  if (path === '-') return readAll(process.stdin)
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    throw new CliError(`${path}: ${isMissing ? 'there is no such file' : 'cannot be read'}`, 2)
  }
}

export async function readJsonFile(path: string): Promise<unknown> {
  const content = await readInput(path)
  try {
    return JSON.parse(content)
  } catch {
    throw new CliError(`${path === '-' ? 'standard input' : path}: is not valid JSON`, 2)
  }
}
