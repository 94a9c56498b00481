import { z } from 'zod'
import { Name, pageOf, paging, Timestamp } from './fields.ts'
import { operation, publicOperation } from './operation.ts'

export const Session = z.strictObject({
  id: z.string(),
  key_id: z.string().describe('The admin key it was opened with, and ends with'),
  key_name: Name,
  created_at: Timestamp,
  expires_at: Timestamp,
})

const tag = 'Sessions'

export const sessionOperations = {
  'sessions.create': publicOperation({
    method: 'POST',
    path: '/sessions',
    tag,
    summary: 'Sign in with an admin key; the answer sets the session cookie of the dashboard',
    body: z.strictObject({ key: z.string().trim().min(1).max(4096).describe('An admin key') }),
    reply: Session,
    status: 201,
  }),
  'sessions.current': operation({
    method: 'GET',
    path: '/sessions/current',
    tag,
    summary: 'Show who is calling',
    reply: z.strictObject({
      session_id: z.string().nullable().describe('Null with a bearer key'),
      key_id: z.string(),
      key_name: Name,
      expires_at: Timestamp.nullable().describe('When this access expires; null: never'),
    }),
  }),
  'sessions.end': publicOperation({
    method: 'DELETE',
    path: '/sessions/current',
    tag,
    summary: 'Sign out: end the session of the cookie, if there is one, and clear the cookie',
  }),
  'sessions.list': operation({
    method: 'GET',
    path: '/sessions',
    tag,
    summary: 'List the sessions that work now, newest first',
    query: z.strictObject(paging),
    reply: pageOf(Session.extend({ current: z.boolean().describe('The one that asks') })),
  }),
  'sessions.revoke': operation({
    method: 'DELETE',
    path: '/sessions/{id}',
    tag,
    summary: "End anybody's session at once",
    params: z.strictObject({ id: z.string().max(64) }),
  }),
}
