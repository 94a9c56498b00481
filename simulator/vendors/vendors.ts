import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { RecordedCall } from '../call-log.ts'
import { createFamilyServer } from '../server.ts'
import { createStage, type Stage } from '../stage.ts'
import { PERSONALITIES, type VendorName } from './personalities.ts'
import { vendorFamily } from './vendor-family.ts'

export interface Vendors {
  /** The base address of each, with `/v1`. */
  urls: Record<VendorName, string>
  calls: readonly RecordedCall[]
  script: Stage['script']
  close(): Promise<void>
}

/** A server for every vendor, each with its personality. */
export async function startVendors(): Promise<Vendors> {
  const stage = createStage({ seed: 1, latencyMs: 0, keepCalls: 10_000 })
  const names = Object.keys(PERSONALITIES) as VendorName[]
  const servers: Server[] = []
  const urls = await Promise.all(
    names.map(async (name) => {
      const server = createFamilyServer(vendorFamily(PERSONALITIES[name]), stage, null)
      servers.push(server)
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
      return [name, `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`] as const
    }),
  )
  return {
    urls: Object.fromEntries(urls) as Record<VendorName, string>,
    calls: stage.log.calls,
    script: stage.script,
    async close() {
      await Promise.all(servers.map(shut))
    },
  }
}

async function shut(server: Server): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await closed
}
