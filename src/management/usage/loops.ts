import { resumeSession } from '../../store/control/resumed-sessions.ts'
import { timestamp } from '../contract/fields.ts'
import type { loopOperations } from '../contract/loops.ts'
import { change, type ManagementDeps } from '../deps.ts'
import type { HandlersOf } from '../router.ts'
import { checkWorkspace } from '../workspaces.ts'

export function loopHandlers(deps: ManagementDeps): HandlersOf<typeof loopOperations> {
  return {
    // Also where no stop is known: each gateway knows only its own.
    'loops.resume': ({ params: { session }, query: { workspace } }, context) =>
      change(deps, context, async (transaction) => {
        await checkWorkspace(transaction, workspace)
        const at = await resumeSession(transaction, { workspace, session }, context.now)
        const result = { workspace, session, resumed_at: timestamp(at) }
        const resource = `loops/${session}`
        return { result, audit: { action: 'loops.resume', workspace, resource, before: null, after: result } }
      }),
  }
}
