import type { KeptCall } from '../../content/kept-call.ts'
import type { Workspace } from '../../domain/snapshot.ts'
import type { CallReply } from '../../http/call.ts'
import type { MakeAspect } from '../deps.ts'
import { hidesContent } from '../hides-content.ts'
import type { Aspect, Ended } from '../stages.ts'

/** What the calls of a workspace say, where it stores that (docs/content.md). No call waits for it. */
export function keptContent({ content: settings }: Workspace): MakeAspect | null {
  if (settings === null) return null
  return ({ id, key, endpoint, startedAt }, chunks, { content }) => {
    const call = { id, workspace: key.workspace, endpoint: endpoint.name, storedAt: startedAt, settings }
    const kept = content.begin(call, chunks)
    return kept === null ? null : aspectOf(kept, endpoint.answersMedia)
  }
}

function aspectOf(kept: KeptCall, isMedia = false): Aspect {
  return {
    ...(!isMedia && { recordFrames: kept.record }),
    rewritten: (body) => kept.replaceRequest([body]),
    settled: ({ call, error }, reply) => {
      if (!hidesContent(call)) keep(kept, error, isMedia ? null : reply)
    },
    release: () => kept.release(),
  }
}

function keep(kept: KeptCall, error: Ended['error'], reply: CallReply | null): void {
  if (reply !== null && 'rest' in reply) kept.end(null, typeof reply.rest === 'string' ? reply.rest : null)
  else if (reply === null || error !== null) kept.end(null, null)
  // A stored stream is all there at once.
  else if (reply.headers['content-type']?.startsWith('text/event-stream') === true) kept.end(null, String(reply.body))
  else kept.end(reply.body, null)
}
