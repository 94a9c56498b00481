import { z } from 'zod'
import { ROLE_SOURCES } from '../../domain/people/person.ts'
import { access, givenAccess, pageOf, paging, Timestamp } from './fields.ts'
import { operation } from './operation.ts'

const Email = z.email('an e-mail address').max(254)

export const PersonView = z.strictObject({
  id: z.string(),
  email: z.string().nullable().describe('Null: not verified by the identity provider'),
  name: z.string().nullable(),
  issuer: z.string().describe('The identity provider'),
  subject: z.string().describe('Their id at the identity provider'),
  ...access,
  role_from: z
    .enum(ROLE_SOURCES)
    .describe('`groups`: evaluated at each sign-in; `invite`, `admin`: kept until an admin changes it'),
  created_at: Timestamp,
  last_seen_at: Timestamp,
  disabled_at: Timestamp.nullable().describe('Since when they cannot sign in; null: not disabled'),
})

export const InviteView = z.strictObject({
  id: z.string(),
  email: z.string(),
  ...access,
  invited_by: z.string(),
  created_at: Timestamp,
  expires_at: Timestamp,
})

const tag = 'People'
const params = z.strictObject({ id: z.string().max(64) })
const theirs = { role: 'admin', scope: 'rows', tag } as const

export const peopleOperations = {
  'people.list': operation({
    ...theirs,
    method: 'GET',
    path: '/people',
    summary: 'List the people whose access is within your own, newest first',
    query: z.strictObject(paging),
    reply: pageOf(PersonView),
  }),
  'people.update': operation({
    ...theirs,
    method: 'PATCH',
    path: '/people/{id}',
    summary:
      'Change the role of a person, where it holds, or whether they can sign in; effective with their next request',
    params,
    body: z.strictObject({
      role: access.role.optional(),
      workspaces: givenAccess.workspaces.unwrap().optional(),
      disabled: z.boolean().optional().describe('True ends their sessions at once and refuses new ones'),
    }),
    reply: PersonView,
  }),
  'people.remove': operation({
    ...theirs,
    method: 'DELETE',
    path: '/people/{id}',
    summary: 'Remove a person and end their sessions; a group or a new invite can give access again',
    params,
  }),
  'people.end-sessions': operation({
    ...theirs,
    method: 'DELETE',
    path: '/people/{id}/sessions',
    summary: 'End all sessions of a person at once',
    params,
  }),
  'invites.list': operation({
    ...theirs,
    method: 'GET',
    path: '/invites',
    summary: 'List pending invites, newest first, including expired ones',
    query: z.strictObject(paging),
    reply: pageOf(InviteView),
  }),
  'invites.create': operation({
    ...theirs,
    method: 'POST',
    path: '/invites',
    summary: 'Invite an e-mail address, with at most your own access; used at the first sign-in',
    body: z.strictObject({
      email: Email,
      ...givenAccess,
      role: access.role.default('viewer'),
      expires_at: Timestamp.optional().describe('Default: in 14 days'),
    }),
    reply: InviteView,
    status: 201,
  }),
  'invites.withdraw': operation({
    ...theirs,
    method: 'DELETE',
    path: '/invites/{id}',
    summary: 'Withdraw a pending invite',
    params,
  }),
}
