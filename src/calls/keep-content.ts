import type { CallReply } from '../http/call.ts'
import type { Ended } from './stages.ts'

/** Hands over what the call said, where its workspace stores that (docs/content.md). Nobody waits for it. */
export function keepContent({ call: { content }, error }: Ended, reply: CallReply | null): void {
  if (content === null) return
  if (reply !== null && 'rest' in reply) content.end(null, reply.rest)
  else content.end(reply === null || error !== null ? null : reply.body, null)
}
