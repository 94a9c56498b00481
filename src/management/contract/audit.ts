import { z } from 'zod'
import { pageOf, paging, Timestamp, WorkspaceName } from './fields.ts'
import { operation } from './operation.ts'

export const AuditEntry = z.strictObject({
  id: z.string(),
  at: Timestamp,
  actor: z.string().describe('Id of the admin key, or `config` or `environment`'),
  actor_name: z.string(),
  action: z.string(),
  workspace: z.string().nullable(),
  resource: z.string(),
  before: z.unknown().describe('What the API showed before; never a secret'),
  after: z.unknown(),
})

export const auditOperations = {
  'audit.list': operation({
    role: 'viewer',
    scope: 'rows',
    method: 'GET',
    path: '/audit',
    tag: 'Audit',
    summary: 'List the changes, newest first',
    query: z.strictObject({
      ...paging,
      resource: z.string().max(400).optional().describe('e.g. `routes/fast`, or `routes/` for all of a kind'),
      actor: z.string().max(200).optional(),
      workspace: WorkspaceName.optional().describe('Only what was changed in this workspace'),
    }),
    reply: pageOf(AuditEntry),
  }),
  'audit.get': operation({
    role: 'viewer',
    scope: 'rows',
    method: 'GET',
    path: '/audit/{id}',
    tag: 'Audit',
    summary: 'Get one change',
    params: z.strictObject({ id: z.string().max(64) }),
    reply: AuditEntry,
  }),
  'audit.restore': operation({
    role: 'editor',
    scope: 'rows',
    method: 'POST',
    path: '/audit/{id}/restore',
    tag: 'Audit',
    summary: 'Restore a version of a route, key, provider, workspace or model as a new version',
    params: z.strictObject({ id: z.string().max(64) }),
    body: z.strictObject({
      version: z
        .enum(['before', 'after'])
        .optional()
        .describe('Which side of the change; default `after`, or `before` for a deletion'),
    }),
    reply: z.strictObject({
      resource: z.string(),
      workspace: z.string().nullable(),
      changed: z.boolean().describe('False: this version is already the current one'),
      before: z.unknown().describe('What the restore replaced; never a secret'),
      after: z.unknown(),
      notes: z.array(z.string()).describe('What to do next, such as a secret to enter again'),
    }),
  }),
}
