import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { GroupRole } from '../../../domain/people/group-roles.ts'
import type { Invite, Person } from '../../../domain/people/person.ts'
import { decideSignIn, type Identity, type Known } from './decide-sign-in.ts'

const NOW = 1_000
const viewer = { role: 'viewer', workspaces: null } as const
const editor = { role: 'editor', workspaces: ['research'] } as const
const admin = { role: 'admin', workspaces: null } as const

const ana: Identity = {
  issuer: 'https://id.example',
  subject: 'ana-1',
  email: 'ana@example.com',
  isEmailVerified: true,
  name: 'Ana',
  groups: [],
}
const member = { ...ana, groups: ['other', 'research'] }
const unverified = { ...ana, isEmailVerified: false }

const invite: Invite = {
  id: 'i1',
  email: 'ana@example.com',
  access: viewer,
  invitedBy: 'ben',
  createdAt: 1,
  expiresAt: NOW + 1,
}
const expired = { ...invite, expiresAt: NOW }
const invited: Person = {
  id: 'p1',
  issuer: ana.issuer,
  subject: ana.subject,
  email: ana.email,
  name: 'Ana',
  access: admin,
  roleFrom: 'invite',
  createdAt: 1,
  lastSeenAt: 1,
  disabledAt: null,
}
const byGroups: Person = { ...invited, roleFrom: 'groups' }
const ROWS: GroupRole[] = [
  { group: 'platform', ...admin },
  { group: 'research', ...editor },
]

const refused = (reason: string) => ({ kind: 'refused', reason })
const admitted = (access: object, roleFrom: string, takes: Invite | null = null) => ({
  kind: 'admitted',
  access,
  roleFrom,
  takes,
})
const nobody: Known = { person: null, invite: null }
const CASES: [title: string, identity: Identity, known: Partial<Known>, outcome: object][] = [
  ['an invited address that is verified', ana, { invite }, admitted(viewer, 'invite', invite)],
  ['an invited address that is not verified', unverified, { invite }, refused('email_not_verified')],
  ['an expired invite', ana, { invite: expired }, refused('invite_expired')],
  [
    'an expired invite, for whoever cannot prove the address',
    unverified,
    { invite: expired },
    refused('email_not_verified'),
  ],
  ['an address that nobody invited', ana, {}, refused('not_invited')],
  ['a mapped group', member, {}, admitted(editor, 'groups')],
  [
    'a mapped group, with an address that is not verified',
    { ...member, isEmailVerified: false },
    { invite },
    admitted(editor, 'groups'),
  ],
  ['a mapped group and an expired invite', member, { invite: expired }, admitted(editor, 'groups')],
  ['groups without a role', { ...ana, groups: ['other'] }, {}, refused('not_invited')],
  ['an invite counts before the groups of somebody new', member, { invite }, admitted(viewer, 'invite', invite)],
  [
    'an invite takes nothing away from somebody who was here by groups',
    member,
    { person: byGroups, invite },
    admitted(editor, 'groups'),
  ],
  ['somebody who was here, without any group', ana, { person: invited }, admitted(admin, 'invite')],
  ['a role that an admin gave stays, whatever the groups', member, { person: invited }, admitted(admin, 'invite')],
  [
    'a role that an admin has changed since',
    member,
    { person: { ...invited, roleFrom: 'admin' } },
    admitted(admin, 'admin'),
  ],
  ['other groups than last time', member, { person: byGroups }, admitted(editor, 'groups')],
  ['somebody by groups who has left them', ana, { person: byGroups }, refused('not_invited')],
  [
    'somebody by groups who has left them and was invited since',
    ana,
    { person: byGroups, invite },
    admitted(viewer, 'invite', invite),
  ],
  ['somebody disabled', member, { person: { ...byGroups, disabledAt: 1 }, invite }, refused('disabled')],
]
for (const [title, identity, known, outcome] of CASES) {
  test(title, () => assert.deepEqual(decideSignIn(identity, { ...nobody, ...known }, ROWS, NOW), outcome))
}
