import type { ContentSettings } from '../domain/content/settings.ts'
import type { ContentKey } from '../store/engine/secrets.ts'

/** Passed to the worker at its start. */
export interface WorkerData {
  target: ContentTarget
  synchronousFull: boolean
  key: ContentKey
}

export type ContentTarget = { kind: 'sqlite'; path: string } | { kind: 'postgres'; url: string }

/** What a call said, as it was, on its way to the worker. */
export interface KeptContent {
  /** The worker is done with them in this order. */
  seq: number
  id: string
  workspace: string
  endpoint: string
  storedAt: number
  settings: ContentSettings
  request: KeptBody | null
  answer: (KeptBody & { isStream: boolean }) | null
  /** Only this is stored. */
  dropped: string | null
}

export interface KeptBody {
  /** Its beginning, or all of it. */
  body: string | Uint8Array
  /** Of all of it, in bytes. */
  bytes: number
  isCut: boolean
}

/** Messages to the worker, and from it. */
export type ContentTasks = { keep(content: KeptContent): void; stop(input: null): void }
export type KeeperTasks = { done(done: Done): void }

/** Everything up to `seq` is in the database, except what could not be written. */
export interface Done {
  seq: number
  stored: number
  failed: number
}
