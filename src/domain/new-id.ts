import { randomFillSync } from 'node:crypto'

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const pool = new Uint8Array(4096)
let next = pool.length
const letters = Buffer.alloc(26)

/**
 * A lower-case ULID: a time part, then a random part. Ids sort by time, so inserts stay at the right edge of every
 * index. Random bytes are drawn in blocks, because a system call per id would cost more than the id.
 */
export function newId(now: number): string {
  for (let rest = now, place = 9; place >= 0; place--) {
    letters[place] = ALPHABET.charCodeAt(rest % 32)
    rest = Math.floor(rest / 32)
  }
  if (next + 16 > pool.length) {
    randomFillSync(pool)
    next = 0
  }
  for (let place = 10; place < 26; place++) letters[place] = ALPHABET.charCodeAt((pool[next++] ?? 0) & 31)
  return letters.toString('latin1')
}

/** When an id was made, read from its last 26 characters; null for a foreign id. */
export function timeOfId(id: string): number | null {
  if (id.length < 26) return null
  let time = 0
  for (const character of id.slice(-26, -16)) {
    const digit = ALPHABET.indexOf(character)
    if (digit === -1) return null
    time = time * 32 + digit
  }
  return time
}
