import type { ChatRequest } from '../domain/chat.ts'
import type { Resolved } from '../domain/route.ts'
import type { Deps } from './deps.ts'
import type { Life } from './life.ts'

/** Opens the row of the call before anything is sent: from here on the log knows of it, whatever kills the process. */
export async function admit(request: ChatRequest, resolved: Resolved, life: Life, deps: Deps): Promise<void> {
  await deps.requestLog.open({
    id: life.id,
    workspace: life.key.workspace,
    keyId: life.key.id,
    startedAt: life.startedAt,
    requestedModel: request.model,
    route: resolved.alias,
  })
}
