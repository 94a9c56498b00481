import { openConnection } from './connection.ts'
import { OWNER } from './scripts/installation.ts'

/** What the counters' server reports about itself. */
export interface CountersInspection {
  server: string
  /** Whether its data survives a kill. */
  keepsMemory: boolean
  /** What it does when its memory is full; anything but `noeviction` loses counters silently. */
  evictionPolicy: string
  /** The installation that has the prefix; '': none. */
  owner: string
}

/** Rejects when the server does not answer in time. */
export async function inspectCounters(
  url: string,
  waitMs: number,
  prefix = '{switchyard}:',
): Promise<CountersInspection> {
  const up = Promise.withResolvers<void>()
  let problem = 'no connection'
  const onDown = (text: string) => {
    problem = text
  }
  const connection = openConnection({ url, prefix, waitMs, onUp: () => up.resolve(), onDown })
  const late = setTimeout(() => up.reject(new Error(problem)), waitMs)
  try {
    await up.promise
    const text = `${await connection.info('server')}${await connection.info('persistence')}${await connection.info('memory')}`
    const [owner] = await connection.run(OWNER, [])
    return { ...inspectionOf(text), owner: String(owner) }
  } finally {
    clearTimeout(late)
    await connection.close()
  }
}

export function inspectionOf(info: string): Omit<CountersInspection, 'owner'> {
  const value = (name: string) => new RegExp(`^${name}:(.*)$`, 'm').exec(info)?.[1]?.trim() ?? ''
  const valkey = value('valkey_version')
  return {
    server: valkey === '' ? `Redis ${value('redis_version')}` : `Valkey ${valkey}`,
    keepsMemory: value('aof_enabled') === '1',
    evictionPolicy: value('maxmemory_policy') || 'noeviction',
  }
}
