import { Worker } from 'node:worker_threads'
import { Conversation, ended, workerProgram } from '../threads/conversation.ts'
import { type CallToKeep, KeptCall } from './kept-call.ts'
import type { ContentTasks, KeeperTasks, KeptContent, WorkerData } from './protocol.ts'

/** Keeps what calls say, where their workspace stores it. Best effort: no call waits for it or fails because of it. */
export interface ContentKeeper {
  /** Null: it cannot be stored here. Copies what it needs of the chunks. */
  begin(call: CallToKeep, chunks: readonly Uint8Array[]): KeptCall | null
  /** Resolves when everything kept until now is in the database, or has been dropped. */
  written(): Promise<void>
  close(): Promise<void>
}

export interface KeeperOptions {
  /** Null: there is no SECRETS_KEY. */
  worker: WorkerData | null
  /** Of all calls that run or wait for the database. */
  maxBytes: number
  onStored(calls: number): void
  onDropped(calls: number, reason: DropReason): void
  onProblem(error: unknown): void
  start?: (data: WorkerData) => Worker
}

/** `no_key`: SECRETS_KEY is not set here. `queue_full`: more is kept than the database takes. `failed`: it took none. */
export type DropReason = 'no_key' | 'queue_full' | 'failed'

/** Calls whose content was dropped are noted as well, up to so many at a time. */
const MOST_WAITING = 20_000
const CLOSE_MS = 5_000

interface ContentWorker {
  thread: Worker
  conversation: Conversation<ContentTasks>
}

export function createContentKeeper(options: KeeperOptions): ContentKeeper {
  const { worker: data, maxBytes, onStored, onDropped, onProblem, start = startWorker } = options
  let worker: ContentWorker | null = null
  let held = 0
  let seq = 0
  /** What the worker has and is not done with. */
  const sent: { seq: number; bytes: number }[] = []
  let waiting: { seq: number; resolve: () => void }[] = []
  const memory = {
    take(bytes: number) {
      if (held + bytes > maxBytes) return false
      held += bytes
      return true
    },
    give(bytes: number) {
      held -= bytes
    },
  }

  function settle(upTo: number): void {
    for (; (sent[0]?.seq ?? Number.POSITIVE_INFINITY) <= upTo; sent.shift()) memory.give(sent[0]?.bytes ?? 0)
    for (const { resolve } of waiting.filter((each) => each.seq <= upTo)) resolve()
    waiting = waiting.filter((each) => each.seq > upTo)
  }

  const done: KeeperTasks['done'] = ({ seq: upTo, stored, failed }) => {
    if (stored > 0) onStored(stored)
    if (failed > 0) onDropped(failed, 'failed')
    settle(upTo)
  }

  function connected(workerData: WorkerData): ContentWorker {
    if (worker !== null) return worker
    const started = start(workerData)
    started.unref()
    started.on('error', onProblem)
    started.on('exit', () => {
      if (worker?.thread === started) worker = null
      if (sent.length > 0) onDropped(sent.length, 'failed')
      settle(seq)
    })
    worker = { thread: started, conversation: new Conversation<ContentTasks>(started, { done }) }
    return worker
  }

  function keep(workerData: WorkerData, content: Omit<KeptContent, 'seq'>, bytes: number): void {
    if (content.dropped !== null) onDropped(1, 'queue_full')
    if (sent.length >= MOST_WAITING) {
      if (content.dropped === null) onDropped(1, 'queue_full')
      memory.give(bytes)
      return
    }
    seq += 1
    sent.push({ seq, bytes })
    const body = content.request?.body
    const transfer = body instanceof Uint8Array ? [body.buffer as ArrayBuffer] : []
    connected(workerData).conversation.tell('keep', { ...content, seq }, transfer)
  }

  return {
    begin(call, chunks) {
      if (data !== null) return new KeptCall(call, chunks, memory, (content, bytes) => keep(data, content, bytes))
      onDropped(1, 'no_key')
      return null
    },
    written() {
      if (sent.length === 0) return Promise.resolve()
      return new Promise((resolve) => waiting.push({ seq, resolve }))
    },
    async close() {
      if (worker === null) return
      const { thread, conversation } = worker
      const closed = ended(thread, CLOSE_MS)
      thread.ref()
      conversation.tell('stop', null)
      await closed
    },
  }
}

function startWorker(workerData: WorkerData): Worker {
  return new Worker(workerProgram(import.meta.url, 'content-worker'), { workerData })
}
