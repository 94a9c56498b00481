import { type AddressInfo, createServer, type Socket } from 'node:net'
import { answerBytes, answerTo, pathOf } from './answers.ts'
import { streamsOf } from './events.ts'
import { httpReader } from './http-reader.ts'
import { createPreciseTimer, preciseNow } from './precise-timer.ts'
import { stampInto } from './stamps.ts'

/**
 * A provider of both families that costs next to nothing: every request gets the same bytes. One address for each
 * argument: `50` answers after 50 ms, `100/2` streams 100 events every 2 ms, `10/Infinity` stalls after the first.
 * Raw sockets, because node:http would cost as much here as in the measured process.
 */

/** Connections with a stream that has not ended; `/running` says how many. */
const running = new Set<Socket>()

function wholeAnswer(path: string): Buffer {
  return path === '/running' ? answerBytes('200 OK', String(running.size)) : answerTo(path)
}

type Send = (socket: Socket, path: string) => void

/** All delays of one address are equal, so what is due leaves in order and one timer is enough. */
function later<Item>(delayMs: number, onDue: (item: Item) => void): (item: Item) => void {
  let waiting: { due: number; item: Item }[] = []
  const timer = createPreciseTimer(() => {
    const now = preciseNow()
    const next = waiting.findIndex(({ due }) => due > now)
    const due = next < 0 ? waiting : waiting.slice(0, next)
    waiting = next < 0 ? [] : waiting.slice(next)
    for (const { item } of due) onDue(item)
  })
  return (item) => {
    const due = preciseNow() + delayMs
    waiting.push({ due, item })
    timer.wakeAt(due)
  }
}

function wholeAnswers(delayMs: number): Send {
  if (delayMs === 0) return (socket, path) => void socket.write(wholeAnswer(path))
  const send = later<[Socket, Buffer]>(delayMs, ([socket, answer]) => void socket.write(answer))
  return (socket, path) => send([socket, wholeAnswer(path)])
}

function streams(contents: number, gapMs: number): Send {
  const writes = streamsOf(contents)
  const step = ({ socket, rest }: { socket: Socket; rest: Iterator<Buffer> }) => {
    for (;;) {
      const next = socket.destroyed ? ({ done: true } as const) : rest.next()
      if (next.done === true) return void running.delete(socket)
      stampInto(next.value)
      socket.write(next.value)
      if (gapMs > 0) break
    }
    if (gapMs < Number.POSITIVE_INFINITY) goOn({ socket, rest })
  }
  const goOn = later(gapMs, step)
  return (socket, path) => {
    const stream = writes.get(path)
    if (stream === undefined) return void socket.write(wholeAnswer(path))
    running.add(socket)
    step({ socket, rest: stream.values() })
  }
}

function listen(spec: string): Promise<string> {
  const [count, gap] = spec.split('/').map(Number) as [number, number | undefined]
  const send = gap === undefined ? wholeAnswers(count) : streams(count, gap)
  const server = createServer({ noDelay: true }, (socket) => {
    socket.on(
      'data',
      httpReader((head) => send(socket, pathOf(head))),
    )
    socket.on('error', () => socket.destroy())
    socket.on('close', () => running.delete(socket))
  })
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', 4_096, () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
  })
}

const urls = await Promise.all(process.argv.slice(2).map(listen))
process.stdout.write(`upstream on ${urls.join(',')} ready\n`)
