import type { Reply } from './call.ts'
import type { LaneAnswer } from './raw-socket.ts'

type Write = (reply: Reply, id: string) => LaneAnswer

/** Stands in the text for the id of the request. */
const ID = 'id-of-the-request'

/**
 * For a reply that is sent thousands of times a second: its text is made once a second, because of the date in it, and
 * only the id is put in anew. Of the 14 µs that turning a call away costs, this saves 2.
 */
export function repeatedAnswer(write: Write): (reply: Reply, id: string, now: number) => LaneAnswer {
  let last: { reply: Reply; second: number; pieces: string[] } | null = null
  return (reply, id, now) => {
    const second = Math.floor(now / 1000)
    if (last === null || last.reply !== reply || last.second !== second) {
      const { head, body } = write(reply, ID)
      last = { reply, second, pieces: (head + Buffer.from(body).toString()).split(ID) }
    }
    return { head: last.pieces.join(id), body: '', isLast: false }
  }
}
