import { setTimeout as sleep } from 'node:timers/promises'
import { type ConnectionOptions, createConnections, type Outcome } from './connections.ts'
import { readUsage } from './process-usage.ts'
import { stampsIn } from './stamps.ts'

export interface HoldOptions extends ConnectionOptions {
  /** The process whose memory is measured. */
  pid: number | null
  settleMs: number
}

export interface HeldResult {
  /** Streams with content that are open at the end. */
  open: number
  rssBytes: number
}

const OPEN_WITHIN_MS = 120_000
/** Opened at once, more would wait in the system's queue for new connections. */
const AT_ONCE = 200

/** Opens a stream on each connection and keeps it open. */
export async function runHold({ pid, settleMs, ...options }: HoldOptions): Promise<HeldResult> {
  const connections = createConnections(options)
  const until = performance.now() + OPEN_WITHIN_MS
  let begun = 0
  let broken = 0
  for (let opened = 0; opened < options.connections; ) {
    for (let count = 0; count < AT_ONCE && opened < options.connections; count++, opened++) {
      let isBegun = false
      const onPiece = (bytes: Buffer) => {
        if (!isBegun && stampsIn(bytes).length > 0) begun += 1
        isBegun ||= stampsIn(bytes).length > 0
        return true
      }
      connections.send(() => (broken += 1), onPiece)
    }
    while (begun + broken < opened && performance.now() < until) await sleep(5)
  }
  await sleep(settleMs)
  return { open: begun - broken, rssBytes: readUsage(pid ?? 0)?.rssBytes ?? 0 }
}

export interface CutOptions extends ConnectionOptions {
  streams: number
}

export interface CutResult {
  whole: number
  cut: number
  failed: number
  firstError: string | null
}

/** Makes so many streams; the caller leaves every second one at its first content. */
export async function runCut({ streams, ...options }: CutOptions): Promise<CutResult> {
  const connections = createConnections(options)
  const result: CutResult = { whole: 0, cut: 0, failed: 0, firstError: null }
  let made = 0
  const { promise, resolve } = Promise.withResolvers<CutResult>()
  const call = () => {
    if (result.whole + result.cut + result.failed === streams) resolve(result)
    if (made === streams) return
    const isCut = made++ % 2 === 1
    let hasLeft = false
    const onPiece = (bytes: Buffer) => {
      hasLeft ||= isCut && stampsIn(bytes).length > 0
      return !hasLeft
    }
    connections.send((outcome) => {
      count(outcome, hasLeft)
      setImmediate(call)
    }, onPiece)
  }
  const count = (outcome: Outcome, hasLeft: boolean) => {
    if (hasLeft) result.cut += 1
    else if (outcome.kind === 'ok') result.whole += 1
    else {
      result.failed += 1
      result.firstError ??= outcome.kind === 'failed' ? outcome.why : outcome.kind
    }
  }
  for (let index = 0; index < options.connections; index++) call()
  return promise
}
