import { z } from 'zod'
import { access, Name, pageOf, paging, Timestamp } from './fields.ts'
import { operation, publicOperation } from './operation.ts'

/** Of a key or of a person: the other two are null. */
const holder = {
  key_id: z.string().nullable().describe('The admin key it was opened with; revoking the key ends it'),
  key_name: Name.nullable(),
  person_id: z.string().nullable().describe('Who signed in with the identity provider'),
  person_name: z.string().nullable(),
}

export const Session = z.strictObject({
  id: z.string(),
  ...holder,
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
  'sessions.options': publicOperation({
    method: 'GET',
    path: '/sessions/options',
    tag,
    summary: 'How people can sign in, besides with an admin key',
    reply: z.strictObject({
      oidc: z
        .strictObject({
          name: z.string().describe('Display name of the identity provider'),
          url: z.string().describe('Where a browser starts the sign-in'),
        })
        .nullable(),
    }),
  }),
  'sessions.current': operation({
    role: 'member',
    scope: 'shared',
    method: 'GET',
    path: '/sessions/current',
    tag,
    summary: 'Show who is calling',
    reply: z.strictObject({
      session_id: z.string().nullable().describe('Null with a bearer key'),
      ...holder,
      ...access,
      operations: z.array(z.string()).describe('What this access allows in its workspaces'),
      expires_at: Timestamp.nullable().describe('When this access expires; null: never'),
    }),
  }),
  'sessions.end': publicOperation({
    method: 'DELETE',
    path: '/sessions/current',
    tag,
    summary: 'Sign out: end the session of the cookie and clear the cookie',
  }),
  'sessions.list': operation({
    role: 'viewer',
    scope: 'rows',
    method: 'GET',
    path: '/sessions',
    tag,
    summary: "List your own active sessions, newest first; with full access everyone's",
    query: z.strictObject(paging),
    reply: pageOf(Session.extend({ current: z.boolean().describe('The session of this request') })),
  }),
  'sessions.revoke': operation({
    role: 'viewer',
    scope: 'rows',
    method: 'DELETE',
    path: '/sessions/{id}',
    tag,
    summary: 'End one of your own sessions at once; with full access, any session',
    params: z.strictObject({ id: z.string().max(64) }),
  }),
}
