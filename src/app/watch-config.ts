import { readFile, stat } from 'node:fs/promises'
import type { Log } from '../telemetry/log.ts'
import { ConfigError } from './config.ts'

export interface WatchOptions {
  path: string
  /** The text in force; null without a file. */
  text: string | null
  /** Applies the text; throws a ConfigError if it is wrong. */
  apply(text: string): Promise<void>
  log: Log
}

/**
 * The file is polled, and read when two polls in a row found it unchanged: editors and tools write in several steps.
 * Watching the folder instead would report every write to other files there, the data included, on the serving thread;
 * and some file systems and mounts report nothing at all.
 */
const LOOK_MS = 500
/** A failure that is not the file's fault is retried, without a log line for each poll. */
const RETRY_MS = 5_000

const GONE = 'is gone'

/**
 * Applies the file whenever it changes on disk. A bad edit, an emptied or a deleted file is logged once, in one line,
 * and the previous configuration stays in force. Returns a function that stops it and waits for a running application.
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
  // The file may have changed since the start read it.
  look()
  return async () => {
    clearInterval(timer)
    await turn
  }
}

interface State {
  /** The text that was last applied or refused: it is not tried twice. */
  text: string | null
  /** Size, time and inode at the last poll, and of the file whose text this is; null when it must be read. */
  stamp: string | null
  known: string | null
  /** Why it cannot be read, so that it is logged once. */
  problem: string | null
  notBefore: number
}

async function lookAt({ path, apply, log }: WatchOptions, state: State): Promise<void> {
  const stamp = await stampOf(path)
  const hasRested = stamp === state.stamp
  state.stamp = stamp
  if (!hasRested || stamp === state.known || performance.now() < state.notBefore) return
  const found = await read(path)
  // Written to in the meantime: the next poll reads it.
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
    log.error({ problem }, 'the configuration file was not applied; the previous configuration stays in force')
    if (error instanceof ConfigError) return
    // Not the file's fault.
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
