import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '@redis/client'
import { startValkey, type ValkeyServer } from './valkey.ts'

export interface ValkeyCluster {
  /** Three that share the slots, and last a replica of the owner of our keys. */
  servers: readonly ValkeyServer[]
  owner: ValkeyServer
  replica: ValkeyServer
  stop(): Promise<void>
}

const SLOTS = 16_384
const OWNERS = 3
const AGREE_WITHIN_MS = 120_000

/** A cluster on this machine in which one server owns the slot of this key, and a replica follows it. */
export async function startValkeyCluster(key: string): Promise<ValkeyCluster> {
  const servers = await Promise.all(Array.from({ length: OWNERS + 1 }, () => startValkey({ inCluster: true })))
  const stop = async () => void (await Promise.all(servers.map((server) => server.stop())))
  try {
    const [first] = servers as [ValkeyServer]
    const share = Math.ceil(SLOTS / OWNERS)
    for (const [index, server] of servers.entries()) {
      const last = Math.min(SLOTS, (index + 1) * share) - 1
      if (index < OWNERS) await ask(server, ['CLUSTER', 'ADDSLOTSRANGE', String(index * share), String(last)])
      if (index > 0)
        await ask(first, ['CLUSTER', 'MEET', '127.0.0.1', new URL(server.url).port, String(server.busPort)])
    }
    await agreed(servers, (info) => info.includes('cluster_state:ok') && info.includes('cluster_known_nodes:4'))
    const slot = Number(await ask(first, ['CLUSTER', 'KEYSLOT', key]))
    const owner = servers[Math.floor(slot / share)] as ValkeyServer
    const replica = servers[OWNERS] as ValkeyServer
    await ask(replica, ['CLUSTER', 'REPLICATE', String(await ask(owner, ['CLUSTER', 'MYID']))])
    await until(
      async () => /state=online/.test(String(await ask(owner, ['INFO', 'replication']))),
      'the replica follows',
    )
    return { servers, owner, replica, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

export async function ask({ url }: ValkeyServer, command: string[]): Promise<unknown> {
  const client = createClient({ url, RESP: 2, socket: { reconnectStrategy: false } }).on('error', () => {})
  await client.connect()
  try {
    return await client.sendCommand(command)
  } finally {
    client.destroy()
  }
}

async function agreed(servers: readonly ValkeyServer[], agrees: (info: string) => boolean): Promise<void> {
  for (const server of servers) {
    await until(async () => agrees(String(await ask(server, ['CLUSTER', 'INFO']))), 'the servers agree')
  }
}

async function until(holds: () => Promise<boolean>, what: string): Promise<void> {
  const deadline = Date.now() + AGREE_WITHIN_MS
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`not within ${AGREE_WITHIN_MS} ms: ${what}`)
    await sleep(50)
  }
}
