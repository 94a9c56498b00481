import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { createServer } from './server.ts'

test('a connection on which nothing was ever sent does not hold up a drain', { timeout: 20_000 }, async () => {
  const server = createServer({ routes: [], newRequestId: () => 'id', onFault: assert.fail })
  const { port, hostname } = new URL(await server.listen('127.0.0.1', 0))
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  // Known to the server by then.
  assert.equal((await fetch(`http://${hostname}:${port}/`)).status, 404)
  const closed = once(socket, 'close')
  await server.drain()
  await closed
})
