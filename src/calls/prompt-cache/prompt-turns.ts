import { randomBytes } from 'node:crypto'
import type { Turn } from '../../domain/prompt-cache/missed.ts'
import { KnownSessions } from '../attribution/known-sessions.ts'

/** Agents whose last prompt is remembered, as checksums of a few kilobytes. */
export const MOST_TURNS = 4_000
const MOST_OF_CALLER = 500
const HOUR_MS = 3_600_000

/** The last call of each agent of each session, as this thread saw it. */
export class PromptTurns extends KnownSessions<Turn> {
  /** Checksums of prompts mean nothing elsewhere. */
  readonly salt = randomBytes(16).toString('base64url')

  constructor(most = MOST_TURNS) {
    super({ mostOfCaller: MOST_OF_CALLER, most, idleMs: HOUR_MS })
  }
}
