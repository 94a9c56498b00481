import { watch } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { ConfigError } from './config.ts'
import type { Log } from './telemetry/log.ts'

export interface WatchOptions {
  path: string
  /** The text that is in force; null when there was no file. */
  text: string | null
  /** Makes the text so; throws a ConfigError that says what is wrong with it. */
  apply(text: string): Promise<void>
  log: Log
}

/** Editors and tools write in several steps: only when the file has rested this long is it read. */
const REST_MS = 200

/** Some file systems and mounts tell nothing; so it is looked at now and then as well. */
const LOOK_MS = 5_000

const GONE = 'is gone'

/**
 * Applies the file whenever it changes on disk. A bad edit, an emptied or a deleted file is told in one line, once, and
 * what is in force stays. Returns how to stop; that waits for an application that is under way.
 */
export function watchConfig(options: WatchOptions): () => Promise<void> {
  const { path, log } = options
  const problem = options.text === null ? GONE : null
  const state: State = { text: options.text, seen: null, problem, turn: Promise.resolve() }
  const look = () => {
    state.turn = state.turn.then(() => lookAt(options, state))
  }
  let rest: NodeJS.Timeout | undefined
  const wait = (_event: unknown, name: string | null) => {
    // Kubernetes swaps a link called `..data` beside the file.
    if (name !== null && name !== basename(path) && !name.startsWith('..')) return
    clearTimeout(rest)
    rest = setTimeout(look, REST_MS).unref()
  }
  const stopWatching = watchFolder(dirname(path), wait, log)
  const timer = setInterval(look, LOOK_MS).unref()
  // It may have changed between the start's reading and this moment.
  wait(null, null)
  return async () => {
    stopWatching()
    clearInterval(timer)
    clearTimeout(rest)
    await state.turn
  }
}

interface State {
  /** What was last applied or refused: the same text is not tried twice. */
  text: string | null
  /** Size, time and inode at the last look; null when it has to be read again. */
  seen: string | null
  /** Why it cannot be read, so that it is told once. */
  problem: string | null
  turn: Promise<void>
}

function watchFolder(folder: string, onEvent: (event: string, name: string | null) => void, log: Log): () => void {
  try {
    const watcher = watch(folder, { persistent: false }, onEvent)
    watcher.on('error', (error) => log.warn({ folder, error: error.message }, 'the folder is no longer watched'))
    return () => watcher.close()
  } catch (error) {
    log.warn({ folder, error: String(error) }, `cannot watch the folder; its file is read every ${LOOK_MS / 1000} s`)
    return () => {}
  }
}

async function lookAt({ path, apply, log }: WatchOptions, state: State): Promise<void> {
  const found = await readRested(path, state)
  if (found === 'unchanged') return
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
    // Not a fault of the file: the next look tries again.
    if (!(error instanceof ConfigError)) state.text = null
  }
}

/** A file that changes while it is read is left for the next look. */
async function readRested(path: string, state: State): Promise<{ text: string } | { problem: string } | 'unchanged'> {
  try {
    const before = await stamp(path)
    if (before === state.seen && state.text !== null) return 'unchanged'
    const text = await readFile(path, 'utf8')
    state.seen = before === (await stamp(path)) ? before : null
    return state.seen === null ? 'unchanged' : { text }
  } catch (error) {
    state.seen = null
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason'
    return { problem: code === 'ENOENT' ? GONE : `cannot be read (${code})` }
  }
}

async function stamp(path: string): Promise<string> {
  const { size, mtimeMs, ino } = await stat(path)
  return `${size} ${mtimeMs} ${ino}`
}
