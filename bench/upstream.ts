import { type AddressInfo, createServer, type Socket } from 'node:net'
import { UPSTREAM_ANSWERS } from './bodies.ts'
import { httpReader } from './http-reader.ts'

/**
 * A provider of both families that costs next to nothing: fixed bytes for a whole request, whatever it says, after a
 * delay if one is given. Raw sockets: node:http would cost as much here as in the gateway that is measured.
 */
const delayMs = Number(process.argv[2] ?? '0')

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

/** All delays are equal, so answers leave in the order of their requests and one timer serves them all. */
const waiting: { due: number; socket: Socket; answer: Buffer }[] = []
let isTimed = false

function answerDue(): void {
  isTimed = false
  const now = performance.now()
  let count = 0
  while (count < waiting.length && (waiting[count]?.due ?? 0) <= now) count += 1
  for (const { socket, answer } of waiting.splice(0, count)) socket.write(answer)
  const next = waiting[0]
  if (next !== undefined) wakeIn(next.due - now)
}

function later(socket: Socket, answer: Buffer): void {
  waiting.push({ due: performance.now() + delayMs, socket, answer })
  if (!isTimed) wakeIn(delayMs)
}

function wakeIn(milliseconds: number): void {
  isTimed = true
  setTimeout(answerDue, milliseconds)
}

const server = createServer({ noDelay: true }, (socket) => {
  const read = httpReader((head) => {
    const answer = answerTo(head)
    if (delayMs === 0) socket.write(answer)
    else later(socket, answer)
  })
  socket.on('data', read)
  socket.on('error', () => socket.destroy())
})
server.listen(0, '127.0.0.1', 4_096, () => {
  process.stdout.write(`upstream on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
