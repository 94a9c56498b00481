import type { Presence } from '../../domain/presence.ts'
import type { OpenStreams } from './open-streams.ts'

/**
 * The caller, as a provider is to see it whose bill does not end with the connection: still there for a while after
 * leaving, so that the stream is read to its end and its usage is known. Only so many at a time.
 */
export function lingering(caller: Presence, streams: OpenStreams, onDrain: () => void): Presence {
  return {
    get left() {
      return caller.left
    },
    onLeave(listener) {
      let endDrain = () => {}
      const stopListening = caller.onLeave(() => {
        if (!streams.beginDrain()) {
          listener()
          return
        }
        onDrain()
        const timer = setTimeout(listener, streams.settings.drainMs)
        endDrain = () => {
          clearTimeout(timer)
          streams.endDrain()
          endDrain = () => {}
        }
      })
      return () => {
        stopListening()
        endDrain()
      }
    },
  }
}
