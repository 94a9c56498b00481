import { type AddressInfo, createServer, type Socket } from 'node:net'
import { UPSTREAM_ANSWERS } from './bodies.ts'
import { httpReader } from './http-reader.ts'
import { createPreciseTimer, preciseNow } from './precise-timer.ts'

/**
 * A provider of both families that costs next to nothing: every request gets the same bytes. One address for each delay
 * given as an argument. Raw sockets, because node:http would cost as much here as in the measured process.
 */
const delays = process.argv.slice(2).map(Number)

const answers = new Map(
  Object.entries(UPSTREAM_ANSWERS).map(([path, text]) => [path, answerBytes('200 OK', text)] as const),
)
const NOT_FOUND = answerBytes('404 Not Found', '{}')

function answerBytes(status: string, text: string): Buffer {
  const length = Buffer.byteLength(text)
  return Buffer.from(`HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n${text}`)
}

function answerTo(head: string): Buffer {
  const begin = head.indexOf(' ') + 1
  const [path = ''] = head.slice(begin, head.indexOf(' ', begin)).split('?', 1)
  return answers.get(path) ?? NOT_FOUND
}

type Send = (socket: Socket, answer: Buffer) => void

/** All delays of one address are equal, so answers leave in the order of their requests and one timer is enough. */
function sendLater(delayMs: number): Send {
  let waiting: { due: number; socket: Socket; answer: Buffer }[] = []
  const timer = createPreciseTimer(() => {
    const now = preciseNow()
    const next = waiting.findIndex(({ due }) => due > now)
    const due = next < 0 ? waiting : waiting.slice(0, next)
    waiting = next < 0 ? [] : waiting.slice(next)
    for (const { socket, answer } of due) socket.write(answer)
  })
  return (socket, answer) => {
    const due = preciseNow() + delayMs
    waiting.push({ due, socket, answer })
    timer.wakeAt(due)
  }
}

function listen(delayMs: number): Promise<string> {
  const send: Send = delayMs === 0 ? (socket, answer) => void socket.write(answer) : sendLater(delayMs)
  const server = createServer({ noDelay: true }, (socket) => {
    const read = httpReader((head) => send(socket, answerTo(head)))
    socket.on('data', read)
    socket.on('error', () => socket.destroy())
  })
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', 4_096, () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
  })
}

const urls = await Promise.all(delays.map(listen))
process.stdout.write(`upstream on ${urls.join(',')} ready\n`)
