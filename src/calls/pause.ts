import type { Presence } from '../domain/presence.ts'

/** Waits between two attempts, unless the caller leaves. */
export function pause(milliseconds: number, presence: Presence): Promise<void> {
  if (presence.left || milliseconds <= 0) return Promise.resolve()
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer)
      stopListening()
      resolve()
    }
    const timer = setTimeout(finish, milliseconds)
    const stopListening = presence.onLeave(finish)
  })
}
