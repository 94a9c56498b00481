import { withConnection } from './connection.ts'
import { OWNER } from './installation.ts'

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
  return withConnection({ url, prefix, waitMs }, async (connection) => {
    const text = `${await connection.info('server')}${await connection.info('persistence')}${await connection.info('memory')}`
    const { installation } = await connection.run(OWNER, {})
    return { ...inspectionOf(text), owner: String(installation) }
  })
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
