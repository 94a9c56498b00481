import { readFile, stat } from 'node:fs/promises'
import type { Log } from '../telemetry/log.ts'
import { ConfigError } from './config.ts'

export interface WatchOptions {
  path: string
  /** The text that is in force; null when there was no file. */
  text: string | null
  /** Makes the text so; throws a ConfigError that says what is wrong with it. */
  apply(text: string): Promise<void>
  log: Log
}

/**
 * The file is looked at twice a second, and read when it was the same at two looks: editors and tools write in several
 * steps. Watching its folder instead tells of every write to whatever else is there: with the data beside it, thousands a
 * second, on the thread that serves. Some file systems and mounts tell nothing at all.
 */
const LOOK_MS = 500
/** What failed for another reason than the file is tried again, without a line in the log for each look. */
const RETRY_MS = 5_000

const GONE = 'is gone'

/**
 * Applies the file whenever it changes on disk. A bad edit, an emptied or a deleted file is told in one line, once, and
 * what is in force stays. Returns how to stop; that waits for an application that is under way.
 */
export function watchConfig(options: WatchOptions): () => Promise<void> {
  const problem = options.text === null ? GONE : null
  const state: State = { text: options.text, stamp: null, known: null, problem, notBefore: 0 }
  let turn: Promise<void> | null = null
  const look = () => {
    turn ??= lookAt(options, state).finally(() => {
      turn = null
    })
  }
  const timer = setInterval(look, LOOK_MS).unref()
  // It may have changed between the start's reading and this moment.
  look()
  return async () => {
    clearInterval(timer)
    await turn
  }
}

interface State {
  /** What was last applied or refused: the same text is not tried twice. */
  text: string | null
  /** Size, time and inode at the last look, and of the file whose text this is; null when it has to be read. */
  stamp: string | null
  known: string | null
  /** Why it cannot be read, so that it is told once. */
  problem: string | null
  notBefore: number
}

async function lookAt({ path, apply, log }: WatchOptions, state: State): Promise<void> {
  const stamp = await stampOf(path)
  const hasRested = stamp === state.stamp
  state.stamp = stamp
  if (!hasRested || stamp === state.known || performance.now() < state.notBefore) return
  const found = await read(path)
  // Written to meanwhile: the next look will see.
  if ((await stampOf(path)) !== stamp) return
  state.known = stamp
  if ('problem' in found) {
    if (found.problem !== state.problem) {
      log.error({ file: path }, `the configuration file ${found.problem}; what it set stays in force`)
    }
    state.problem = found.problem
    return
  }
  state.problem = null
  if (found.text === state.text) return
  state.text = found.text
  try {
    if (found.text.trim() === '') throw new ConfigError(`${path}: is empty; write {} to take back everything it set`)
    await apply(found.text)
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error)
    log.error({ problem }, 'the configuration file is not applied; what was in force stays')
    if (error instanceof ConfigError) return
    // Not a fault of the file.
    state.text = null
    state.known = null
    state.notBefore = performance.now() + RETRY_MS
  }
}

async function read(path: string): Promise<{ text: string } | { problem: string }> {
  try {
    return { text: await readFile(path, 'utf8') }
  } catch (error) {
    return { problem: problemOf(error) }
  }
}

async function stampOf(path: string): Promise<string> {
  try {
    const { size, mtimeMs, ino } = await stat(path)
    return `${size} ${mtimeMs} ${ino}`
  } catch (error) {
    return problemOf(error)
  }
}

function problemOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason'
  return code === 'ENOENT' ? GONE : `cannot be read (${code})`
}
