import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { describe, test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { fixedPort } from '../../test/fixed-port.ts'
import { checkPort } from './check-port.ts'

/** Connects as often as it can; reports its start, and at the end how often it was accepted. */
const CALLER = `
const { connect } = require('node:net')
const { parentPort, workerData } = require('node:worker_threads')
let letIn = 0
let tried = 0
let isOver = false
parentPort.once('message', () => (isOver = true))
const next = () => {
  if (isOver) return parentPort.postMessage({ letIn })
  const socket = connect(workerData, '127.0.0.1')
  socket.once('connect', () => letIn++).once('error', () => {})
  socket.once('connect', () => socket.destroy()).once('close', next)
  if (++tried === 100) parentPort.postMessage('busy')
}
for (let caller = 0; caller < 8; caller++) next()
`

describe('the check of a port', () => {
  test('lets nobody in while it looks', async () => {
    const port = await fixedPort()
    const caller = new Worker(CALLER, { eval: true, workerData: port })
    await once(caller, 'message')
    for (let round = 0; round < 300; round++) await checkPort('127.0.0.1', port)
    caller.postMessage('enough')
    const [{ letIn }] = await once(caller, 'message')
    assert.equal(letIn, 0)
    await caller.terminate()
  })

  for (const [taken, asked] of [
    ['127.0.0.1', '127.0.0.1'],
    ['127.0.0.1', '0.0.0.0'],
    ['0.0.0.0', '127.0.0.1'],
  ] as const) {
    test(`fails for ${asked} while ${taken} is taken, and no longer than that`, async () => {
      const server = createServer().listen(0, taken)
      await once(server, 'listening')
      const { port } = server.address() as AddressInfo
      await assert.rejects(checkPort(asked, port), { code: 'EADDRINUSE', port })
      server.close()
      await once(server, 'close')
      await checkPort(asked, port)
      // It leaves nothing behind that would be in the way.
      server.listen(port, taken)
      await once(server, 'listening')
      server.close()
    })
  }

  test('fails for an address that is not of this machine', () =>
    assert.rejects(checkPort('192.0.2.1', 18_080), { code: 'EADDRNOTAVAIL', address: '192.0.2.1' }))

  test('takes a name, and any free port', async () => {
    await checkPort('localhost', await fixedPort())
    await checkPort('127.0.0.1', 0)
    await assert.rejects(checkPort('192.0.2.1', 0), { code: 'EADDRNOTAVAIL' })
  })
})
