import type { Answer } from './answer.ts'
import type { CallLog } from './call-log.ts'
import type { StreamCounts } from './stream/desk.ts'

/** `/_simulator/…`: what the simulator saw, for tests in another process. Null for every other path. */
export function answerInspection(url: URL, log: CallLog, streams: StreamCounts): Answer | null {
  switch (url.pathname) {
    case '/_simulator/calls':
      return {
        status: 200,
        body: log.calls.map(({ id, family, model, path, marker, outcome, status }) => ({
          id,
          family,
          model,
          path,
          marker,
          outcome,
          status,
        })),
      }
    case '/_simulator/calls/count': {
      const counts = { count: log.calls.length, chat: 0, pending: 0, answered: 0, aborted: 0 }
      for (const call of log.calls) {
        counts[call.outcome] += 1
        if (call.method === 'POST') counts.chat += 1
      }
      return { status: 200, body: counts }
    }
    case '/_simulator/streams':
      return { status: 200, body: streams }
    default:
      return url.pathname.startsWith('/_simulator') ? { status: 404, body: { error: 'no such page' } } : null
  }
}
