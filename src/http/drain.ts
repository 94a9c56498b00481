import type { Server } from './server.ts'

export interface DrainOptions {
  log: { warn(message: string): void }
  seconds: number
  /** See `Server.drain`. */
  idleGraceMs: number
  streams: {
    /** Resolves when no call is running, including calls without a connection. */
    ended(): Promise<void>
    /** Called before the calls that are still in flight are cut off. */
    cut(): void
  }
}

/** For streams that are cut: their rows are completed, and their callers get an error frame. */
const LAST_WORDS_MS = 500

/** Lets calls in flight finish, up to a deadline. */
export async function drain(server: Pick<Server, 'drain' | 'destroy'>, options: DrainOptions): Promise<void> {
  const { log, seconds, idleGraceMs, streams } = options
  const cutOff = Promise.withResolvers<void>()
  let deadline = setTimeout(() => {
    streams.cut()
    log.warn('calls that outlast DRAIN_SECONDS are cut off: logged as interrupted')
    deadline = setTimeout(() => {
      server.destroy()
      cutOff.resolve()
    }, LAST_WORDS_MS)
  }, seconds * 1000)
  await server.drain(idleGraceMs)
  await Promise.race([streams.ended(), cutOff.promise])
  clearTimeout(deadline)
}
