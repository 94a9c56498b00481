import type { Server } from './server.ts'

export interface DrainOptions {
  log: { warn(message: string): void }
  seconds: number
  /** See `Server.drain`. */
  idleGraceMs: number
  /** Called before the calls that are still in flight are cut off. */
  onCutOff(): void
}

/** Lets calls in flight finish, up to a deadline. */
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
