import { z } from 'zod'
import { access, givenAccess, Name, pageOf, paging, Timestamp } from './fields.ts'
import { operation } from './operation.ts'

export const AdminKey = z.strictObject({
  id: z.string(),
  name: Name,
  prefix: z.string().describe('The first 12 characters of the value'),
  ...access,
  created_at: Timestamp,
  expires_at: Timestamp.nullable(),
  revoked_at: Timestamp.nullable(),
})

const tag = 'Admin keys'

export const adminKeyOperations = {
  'admin-keys.list': operation({
    role: 'admin',
    scope: 'rows',
    method: 'GET',
    path: '/admin-keys',
    tag,
    summary: 'List the admin keys whose access is within your own, newest first',
    query: z.strictObject(paging),
    reply: pageOf(AdminKey),
  }),
  'admin-keys.create': operation({
    role: 'admin',
    scope: 'rows',
    method: 'POST',
    path: '/admin-keys',
    tag,
    summary: 'Create an admin key, with at most your own access; its value is shown once',
    body: z.strictObject({ name: Name, ...givenAccess, expires_at: Timestamp.nullable().optional() }),
    reply: AdminKey.extend({ value: z.string().describe('The key itself: shown now and never again') }),
    status: 201,
  }),
  'admin-keys.revoke': operation({
    role: 'admin',
    scope: 'rows',
    method: 'DELETE',
    path: '/admin-keys/{id}',
    tag,
    summary: 'Revoke an admin key, but never the last working one with full access',
    params: z.strictObject({ id: z.string().max(64) }),
  }),
}
