import { z } from 'zod'
import { Name, pageOf, paging, Timestamp } from './fields.ts'
import { operation } from './operation.ts'

export const AdminKey = z.strictObject({
  id: z.string(),
  name: Name,
  prefix: z.string().describe('The first 12 characters of the value'),
  created_at: Timestamp,
  expires_at: Timestamp.nullable(),
  revoked_at: Timestamp.nullable(),
})

const tag = 'Admin keys'

export const adminKeyOperations = {
  'admin-keys.list': operation({
    method: 'GET',
    path: '/admin-keys',
    tag,
    summary: 'List the admin keys, newest first',
    query: z.strictObject(paging),
    reply: pageOf(AdminKey),
  }),
  'admin-keys.create': operation({
    method: 'POST',
    path: '/admin-keys',
    tag,
    summary: 'Create an admin key; its value is shown once',
    body: z.strictObject({ name: Name, expires_at: Timestamp.nullable().optional() }),
    reply: AdminKey.extend({ value: z.string().describe('The key itself: shown now and never again') }),
    status: 201,
  }),
  'admin-keys.revoke': operation({
    method: 'DELETE',
    path: '/admin-keys/{id}',
    tag,
    summary: 'Revoke an admin key, but never the last working one',
    params: z.strictObject({ id: z.string().max(64) }),
  }),
}
