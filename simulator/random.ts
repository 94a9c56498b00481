import { randomBytes } from 'node:crypto'

/** A number in [0, 1); the same seed gives the same sequence. */
export type Random = () => number

/** FNV-1a: turns any text into a seed. */
export function hashText(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  }
  return hash >>> 0
}

/** Mulberry32: small, quick and good enough for sample text. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

export function pick<T>(random: Random, choices: readonly [T, ...T[]]): T {
  return choices[Math.floor(random() * choices.length)] ?? choices[0]
}

const ID_CHARACTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** Ids are not seeded: two runs with one seed must not produce the same id. */
export function newId(prefix: string, length: number): string {
  let id = prefix
  for (const byte of randomBytes(length)) id += ID_CHARACTERS[byte % ID_CHARACTERS.length]
  return id
}
