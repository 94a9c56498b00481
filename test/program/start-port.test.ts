import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { connect } from 'node:net'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fixedPort } from '../fixed-port.ts'
import { ADMIN_KEY, KEY, newFolder, until } from '../harness.ts'
import { startProcess } from '../process.ts'

const folder = newFolder()
after(() => rmSync(folder, { recursive: true, force: true }))

const POST = `POST /v1/chat/completions HTTP/1.1\r\nhost: gateway\r\nauthorization: Bearer ${KEY}\r\ncontent-length: 2\r\n\r\n{}`

/** A call on its own connection: not let in, answered, or let in and then left without an answer. */
function call(port: number): Promise<'refused' | 'answered' | 'lost'> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    let isIn = false
    socket.on('error', () => undefined)
    socket.once('connect', () => {
      isIn = true
      socket.write(POST)
    })
    socket.once('data', () => {
      resolve('answered')
      socket.destroy()
    })
    socket.once('close', () => resolve(isIn ? 'lost' : 'refused'))
  })
}

test('whoever is let in while a gateway starts, or starts again, is answered', async (context) => {
  const port = await fixedPort()
  const seen = { refused: 0, answered: 0, lost: 0 }
  // The first start, which makes keys, and one that finds them.
  for (const environment of [{}, { GATEWAY_KEY: KEY, ADMIN_KEY }]) {
    let isOver = false
    context.after(() => {
      isOver = true
    })
    const callers = Array.from({ length: 4 }, async () => {
      while (!isOver) {
        seen[await call(port)] += 1
        // The gateway needs the core as well.
        await sleep(2)
      }
    })
    await until(() => seen.refused > 0, 'nobody listens yet')
    const started = startProcess({ folder, environment: { PORT: String(port), LOG_LEVEL: 'silent', ...environment } })
    await started.url()
    const answered = seen.answered
    await until(() => seen.answered > answered, 'calls are answered')
    isOver = true
    await Promise.all(callers)
    await started.stop()
  }
  assert.equal(seen.lost, 0)
})
