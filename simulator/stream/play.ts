import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { StreamDesk, StreamState } from './desk.ts'
import { frameOf, piecesOf } from './frames.ts'
import type { StreamEvent, StreamPlan, StreamStep } from './script.ts'

const WHOLE_STREAM: readonly StreamStep[] = [{ play: 'done' }]

/** What ended the playing: the client left, the body was ended, or the connection is to be broken in this way. */
export type Ending = 'gone' | 'end' | 'cut' | 'reset'

/** Plays one answer event by event. It stops writing while the client does not read, and at once when the client leaves. */
export class StreamPlayer {
  readonly #response: ServerResponse
  readonly #plan: StreamPlan
  readonly #state: StreamState
  readonly #desk: StreamDesk
  readonly #gone: AbortSignal
  readonly #events: Iterator<StreamEvent>
  #next: StreamEvent | undefined
  /** Kept back to go out in one piece. */
  #kept: Uint8Array[] = []
  /** Ends a wait early. One listener for the whole stream: a bench waits many times a second. */
  #wake = () => {}

  constructor(response: ServerResponse, plan: StreamPlan, state: StreamState, desk: StreamDesk, gone: AbortSignal) {
    this.#response = response
    this.#plan = plan
    this.#state = state
    this.#desk = desk
    this.#gone = gone
    this.#events = plan.events[Symbol.iterator]()
    this.#advance()
    gone.addEventListener('abort', () => this.#wake(), { once: true })
  }

  async play(): Promise<Ending> {
    for (const step of this.#plan.script.steps ?? WHOLE_STREAM) {
      if (step === 'end' || step === 'cut' || step === 'reset') return this.#over(step)
      await this.#perform(step)
      if (this.#gone.aborted) return 'gone'
    }
    return this.#over('end')
  }

  async #over(ending: Ending): Promise<Ending> {
    await this.#flush()
    return this.#gone.aborted ? 'gone' : ending
  }

  async #perform(step: Exclude<StreamStep, 'end' | 'cut' | 'reset'>): Promise<void> {
    if (step === 'stall') {
      await this.#flush()
      return this.#desk.stall(this.#state, this.#gone)
    }
    if ('play' in step) return this.#playNormal(step.play)
    if ('send' in step) return this.#repeat(step.times ?? 1, () => this.#sendEvent(step.send))
    if ('error' in step) return this.#sendEvent(this.#plan.errorEvent(step.error))
    if ('ping' in step) return this.#repeat(step.ping, () => this.#ping())
    if ('comment' in step) return this.#repeat(step.times ?? 1, () => this.#sendComment(step.comment))
    if ('raw' in step) return this.#write(step.raw)
    await this.#flush()
    return this.#wait(step.waitMs)
  }

  async #playNormal(until: number | 'start' | 'first' | 'content' | 'finish' | 'done'): Promise<void> {
    for (let sent = 0; this.#next !== undefined && !this.#gone.aborted; sent += 1) {
      const { phase } = this.#next
      if (until === sent) return
      if (until === 'start' && phase !== 'start') return
      if (until === 'content' && (phase === 'finish' || phase === 'done')) return
      if (until === 'finish' && phase === 'done') return
      await this.#sendEvent(this.#next)
      this.#advance()
      if (until === 'first' && phase === 'content') return
    }
  }

  async #repeat(times: number, send: () => Promise<void>): Promise<void> {
    for (let sent = 0; sent < times && !this.#gone.aborted; sent += 1) await send()
  }

  #advance(): void {
    const { value, done } = this.#events.next()
    this.#next = done ? undefined : value
  }

  #ping(): Promise<void> {
    const { ping } = this.#plan
    return ping === null ? this.#sendComment('ping') : this.#sendEvent(ping)
  }

  async #sendEvent(event: Omit<StreamEvent, 'phase'>): Promise<void> {
    await this.#gap()
    if (this.#gone.aborted) return
    this.#state.events += 1
    await this.#write(this.#plan.frame?.(event) ?? frameOf(event, this.#plan.script))
  }

  async #sendComment(text: string): Promise<void> {
    await this.#gap()
    const { newline = '\n' } = this.#plan.script
    if (!this.#gone.aborted) await this.#write(`: ${text}${newline}${newline}`)
  }

  /** Between two frames; there is none before the first. */
  async #gap(): Promise<void> {
    const { gap = 0 } = this.#plan.script
    if (gap === 0 || this.#state.bytes === 0) return
    if (gap === 'resume') await this.#desk.stall(this.#state, this.#gone)
    else await this.#wait(gap)
  }

  #wait(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds)
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  async #write(frame: string | Uint8Array): Promise<void> {
    const { pieces } = this.#plan.script
    this.#state.bytes += Buffer.byteLength(frame)
    if (pieces === 'whole') {
      this.#kept.push(Buffer.from(frame))
      return
    }
    if (pieces === undefined) return this.#give(frame)
    for (const piece of piecesOf(frame, pieces)) {
      await this.#give(piece)
      // Otherwise the socket would gather them.
      await nextTurn()
      if (this.#gone.aborted) return
    }
  }

  async #flush(): Promise<void> {
    const kept = this.#kept
    this.#kept = []
    if (kept.length > 0) await this.#give(Buffer.concat(kept))
  }

  async #give(piece: string | Uint8Array): Promise<void> {
    if (this.#gone.aborted || this.#response.write(piece)) return
    this.#state.is = 'blocked'
    this.#desk.counts.blocked += 1
    await once(this.#response, 'drain', { signal: this.#gone }).catch(() => undefined)
    this.#desk.counts.blocked -= 1
    this.#state.is = 'writing'
  }
}
