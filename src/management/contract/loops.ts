import { z } from 'zod'
import { inWorkspace, Timestamp, WorkspaceName } from './fields.ts'
import { operation } from './operation.ts'

export const loopOperations = {
  'loops.resume': operation({
    role: 'editor',
    scope: 'workspace',
    method: 'POST',
    path: '/loops/{session}/resume',
    tag: 'Usage',
    summary: 'Resume a session that was stopped or slowed down as a loop; what it repeated before is forgiven',
    params: z.strictObject({ session: z.string().min(1).max(128).describe('As a header of its calls names it') }),
    query: z.strictObject(inWorkspace),
    reply: z.strictObject({ workspace: WorkspaceName, session: z.string(), resumed_at: Timestamp }),
  }),
}
