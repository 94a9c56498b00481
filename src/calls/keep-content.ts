import type { CallReply } from '../http/call.ts'
import type { Ended } from './stages.ts'

/** Hands over what the call said, where its workspace stores that (docs/content.md). Nobody waits for it. */
export function keepContent({ call: { content, caching }, error }: Ended, reply: CallReply | null): void {
  if (content === null) return
  if (reply !== null && 'rest' in reply) content.end(null, reply.rest)
  else if (reply === null || error !== null) content.end(null, null)
  // A stored stream is all there at once.
  else if (caching?.hit?.stream) content.end(null, String(reply.body))
  else content.end(reply.body, null)
}
