import type { Transaction } from 'kysely'
import type { GroupRole } from '../../../domain/people/group-roles.ts'
import { type Person, personName } from '../../../domain/people/person.ts'
import { lastAudit, writeAudit } from '../../../store/control/audit.ts'
import { deleteInvite, findInvite } from '../../../store/control/invites.ts'
import { Overtaken } from '../../../store/control/overtaken.ts'
import { createPerson, deleteSessionsOf, lockPerson, updatePerson } from '../../../store/control/people.ts'
import type { Database } from '../../../store/engine/schema.ts'
import { personAuditEntry } from '../people.ts'
import { type Admitted, decideSignIn, type Identity, type Refusal } from './decide-sign-in.ts'

/**
 * Decides on what the database knows, and writes down what follows; all in the caller's transaction. Throws `Overtaken`
 * when another sign-in of theirs, or an admin, has changed what it decided on.
 */
export async function admitPerson(
  db: Transaction<Database>,
  identity: Identity,
  rows: readonly GroupRole[],
  now: number,
): Promise<Person | Refusal> {
  const { email } = identity
  const person = await lockPerson(db, identity)
  const invite = email === null ? null : await findInvite(db, { email })
  const decided = decideSignIn(identity, { person, invite }, rows, now)
  if (decided.kind === 'admitted') {
    // It may have been accepted or withdrawn since it was read.
    if (decided.takes !== null && !(await deleteInvite(db, decided.takes.id))) throw new Overtaken()
    return write(db, person, identity, decided, now)
  }
  // A person who has left their groups loses access in every browser.
  if (person !== null) await deleteSessionsOf(db, person.id)
  // Between the two reads another sign-in of theirs may have taken the invite.
  else if ((await lockPerson(db, identity)) !== null) throw new Overtaken()
  await noteRefusal(db, person, identity, decided.reason, now)
  return decided.reason
}

/** Repeated attempts fill the gateway's log, not the audit log. */
const SAME_REFUSAL_MS = 5 * 60_000

/** By issuer and subject only: a stranger can type any address and name. */
async function noteRefusal(
  db: Transaction<Database>,
  person: Person | null,
  { issuer, subject }: Identity,
  reason: Refusal,
  now: number,
): Promise<void> {
  const resource = `sign-ins/${subject}`
  const after = { issuer, subject, reason }
  const last = await lastAudit(db, resource)
  if (last !== null && now - last.at < SAME_REFUSAL_MS && last.after === JSON.stringify(after)) return
  const actor = person === null ? { id: 'sign-in', name: subject } : { id: person.id, name: personName(person) }
  await writeAudit(db, { actor, action: 'sign-ins.refuse', workspace: null, resource, before: null, after }, now)
}

async function write(
  db: Transaction<Database>,
  before: Person | null,
  identity: Identity,
  { access, roleFrom }: Admitted,
  now: number,
): Promise<Person> {
  const { issuer, subject, name } = identity
  const said = { name, email: identity.isEmailVerified ? identity.email : null, access, roleFrom }
  const after =
    before === null
      ? await createPerson(db, { issuer, subject, ...said }, now)
      : { ...before, ...said, lastSeenAt: now }
  if (before !== null) await updatePerson(db, after)
  if (before === null || hasChanged(before, after)) {
    const action = before === null ? 'people.create' : 'people.update'
    const actor = { id: after.id, name: personName(after) }
    await writeAudit(db, { actor, ...personAuditEntry(action, before, after) }, now)
  }
  return after
}

/** More than when they were last here. */
function hasChanged(before: Person, after: Person): boolean {
  return JSON.stringify({ ...before, lastSeenAt: 0 }) !== JSON.stringify({ ...after, lastSeenAt: 0 })
}
