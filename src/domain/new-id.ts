import { randomFillSync } from 'node:crypto'

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const pool = new Uint8Array(4096)
let next = pool.length

/**
 * A lower-case ULID: a time part, then a random part. Ids sort by time, so inserts stay at the right edge of every
 * index. Random bytes are drawn in blocks, because a system call per id would cost more than the id.
 */
export function newId(now: number): string {
  let time = ''
  for (let rest = now, place = 0; place < 10; place++) {
    time = ALPHABET.charAt(rest % 32) + time
    rest = Math.floor(rest / 32)
  }
  if (next + 16 > pool.length) {
    randomFillSync(pool)
    next = 0
  }
  let chance = ''
  for (let index = 0; index < 16; index++) chance += ALPHABET.charAt((pool[next++] ?? 0) & 31)
  return time + chance
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
