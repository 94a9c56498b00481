import { newId } from '../../random.ts'

const PREFIX = 'gAAAAABsimulator'

/** Reasoning as the vendor returns it: only the vendor can read it. */
export function sealed(): string {
  return newId(PREFIX, 120)
}

/** The vendor refuses what it did not seal itself. */
export function isSealed(value: unknown): boolean {
  return typeof value === 'string' && value.startsWith(PREFIX)
}
