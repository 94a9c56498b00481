import type { Server } from './server.ts'

export interface DrainOptions {
  log: { warn(message: string): void }
  seconds: number
  /** See `Server.drain`. */
  idleGraceMs: number
  /** Time is up: what is still in flight is about to be cut off. */
  onCutOff(): void
}

/** Calls in flight may finish, but not for ever. */
export async function drain(server: Pick<Server, 'drain' | 'destroy'>, options: DrainOptions): Promise<void> {
  const { log, seconds, idleGraceMs, onCutOff } = options
  const deadline = setTimeout(() => {
    onCutOff()
    log.warn('calls that outlast DRAIN_SECONDS are cut off: logged as interrupted')
    server.destroy()
  }, seconds * 1000)
  await server.drain(idleGraceMs)
  clearTimeout(deadline)
}
