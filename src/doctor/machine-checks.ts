import { accessSync, constants, existsSync, statfsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, resolve } from 'node:path'
import { tracingWords } from '../app/open-tracing.ts'
import { checkPort as tryPort } from '../http/check-port.ts'
import { type ListenAddress, listenProblem } from '../http/listen-problem.ts'
import { type Check, good, problem } from './check.ts'

const NODE_NEEDED = 24
const LEAST_FREE_BYTES = 200 * 1024 * 1024

export function checkNode(version: string = process.versions.node): Check {
  return Number(version.split('.')[0]) >= NODE_NEEDED
    ? good('node', `Node ${version}`)
    : problem('node', `Node ${version} is too old: install Node ${NODE_NEEDED} or newer`)
}

export function checkThreads(threads: number, cores: number = availableParallelism()): Check {
  const serving = threads === 1 ? 'one thread serves' : `${threads} threads serve`
  return good('threads', `${serving}; this machine has ${cores} ${cores === 1 ? 'core' : 'cores'}`)
}

/** Said only where it is on. */
export function checkTelemetry(settings: Parameters<typeof tracingWords>[0]): Check[] {
  const words = tracingWords(settings)
  return words === null ? [] : [good('opentelemetry', `traces: ${words.traces}, metrics: ${words.metrics}`)]
}

/** The folder itself, or where it would be made. */
export function checkDataDir(dataDir: string): Check[] {
  let folder = resolve(dataDir)
  while (!existsSync(folder)) folder = dirname(folder)
  const isThere = folder === resolve(dataDir)
  try {
    accessSync(folder, constants.W_OK | constants.X_OK)
  } catch {
    return [problem('data folder', `${folder} is not writable: change its owner, or set DATA_DIR to another folder`)]
  }
  const { bavail, bsize } = statfsSync(folder)
  const free = bavail * bsize
  const space = `${(free / 1024 ** 3).toFixed(1)} GiB free`
  return [
    good('data folder', isThere ? `${dataDir} is writable` : `${dataDir} will be created at the first start`),
    free >= LEAST_FREE_BYTES
      ? good('disk space', space)
      : problem('disk space', `${space} at ${folder}: free some space, the request log needs it`),
  ]
}

export function checkLock(dataDir: string, isInUse: boolean): Check {
  return good('lock', isInUse ? `a gateway is running on ${dataDir}` : `no gateway is running on ${dataDir}`)
}

/** While a gateway runs on our data folder, the port is its own. */
export async function checkPort(place: ListenAddress, isInUse: boolean): Promise<Check> {
  const { host, port, variables } = place
  const name = variables === '' ? 'port' : 'admin port'
  if (port === 0) return good(name, 'any free port')
  const at = `${host}:${port}`
  try {
    await tryPort(host, port)
    return good(name, `${at} is free`)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE' && isInUse) return good(name, `${at} is in use, probably by the running gateway`)
    if (code === 'EADDRINUSE' && (await isSwitchyard(at)))
      return problem(
        name,
        `another Switchyard, with another data folder, is running on ${at}: stop it, or set ${variables}PORT`,
      )
    const variable = `check ${variables}HOST and ${variables}PORT`
    return problem(name, listenProblem(code, place) ?? `cannot listen on ${at} (${code ?? message}): ${variable}`)
  }
}

/** Whether the program on a port is a gateway: `/` says so. */
async function isSwitchyard(at: string): Promise<boolean> {
  try {
    const reply = await fetch(`http://${at}/`, {
      headers: { accept: 'application/json' },
      signal: AbortSignal.timeout(2_000),
    })
    return ((await reply.json()) as { name?: unknown }).name === 'Switchyard'
  } catch {
    return false
  }
}
