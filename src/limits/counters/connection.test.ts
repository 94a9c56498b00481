import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { setImmediate as aTurn } from 'node:timers/promises'
import { openConnection } from './connection.ts'

const accepted: Socket[] = []
const server = createServer((socket) => accepted.push(socket.on('error', () => {}).resume()))
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const { port } = server.address() as AddressInfo
after(() => {
  for (const socket of accepted) socket.destroy()
  server.close()
})

test('a connection that is closed while it connects does not stay open', { timeout: 120_000 }, async () => {
  const url = `redis://127.0.0.1:${port}`
  // Loads what is loaded on demand, so that the turns below are those of connecting.
  await import('./redis-client.ts')
  for (let moment = 0; moment < 40; moment++) {
    const connection = openConnection({ url, prefix: 'test:', waitMs: 60_000, onUp() {}, onDown() {} })
    for (let turn = 0; turn < moment; turn++) await (moment < 30 ? undefined : aTurn())
    await connection.close()
    assert.equal(connection.isUp(), false)
  }
  // Connections are taken in order: when this one is, all before it were.
  const probe = connect(port, '127.0.0.1')
  await once(probe, 'connect')
  while (!accepted.some((socket) => socket.remotePort === probe.localPort)) await once(server, 'connection')
  const others = accepted.filter((socket) => socket.remotePort !== probe.localPort)
  assert.ok(others.length > 0)
  await Promise.all(others.map((socket) => socket.closed || once(socket, 'close')))
  probe.destroy()
})
