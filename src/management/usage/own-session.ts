import type { LiveKey } from '../../domain/key.ts'
import type { Call, HttpRoute } from '../../http/call.ts'
import { jsonReply } from '../../http/respond.ts'
import type { ManagementDeps } from '../deps.ts'
import { sessionReply } from './session-usage.ts'

/** What a session of the caller's own key has cost so far: of another key it is not there, nor of another token's user. */
export function ownSessionRoute(
  deps: ManagementDeps,
  keyOf: (call: Call) => LiveKey | Promise<LiveKey>,
  now: () => number,
): HttpRoute {
  return {
    method: 'GET',
    path: '/v1/sessions/:session',
    async handle(call) {
      const { id, workspace, holder } = await keyOf(call)
      const own = { workspace, key: id, user: holder?.user ?? undefined }
      const {
        keys: _,
        workspace: __,
        ...session
      } = await deps.live.orAway(sessionReply(deps, call.params['session'] ?? '', own, now()))
      return jsonReply(200, { object: 'session', ...session })
    },
  }
}
