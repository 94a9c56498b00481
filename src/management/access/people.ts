import { isDeepStrictEqual } from 'node:util'
import type { Transaction } from 'kysely'
import { isWithin } from '../../domain/access.ts'
import { GatewayError } from '../../domain/errors.ts'
import type { Person } from '../../domain/people/person.ts'
import { revokeKeysOf } from '../../store/control/people/personal-keys.ts'
import { deletePerson, deleteSessionsOf, listPeople, lockPerson, updatePerson } from '../../store/control/people.ts'
import type { Database } from '../../store/engine/schema.ts'
import { timestamp, timestampOrNull } from '../contract/fields.ts'
import type { peopleOperations } from '../contract/people.ts'
import { change, changeBeside, type ManagementDeps } from '../deps.ts'
import { decodeCursor, page } from '../requests/cursor.ts'
import type { Context, HandlersOf } from '../router.ts'
import { checkGivable } from './admin-keys.ts'

type PeopleOperations = Pick<
  typeof peopleOperations,
  'people.list' | 'people.update' | 'people.remove' | 'people.end-sessions'
>

/** A session reads its person again with every request: changes apply at once on every gateway. */
export function peopleHandlers(deps: ManagementDeps): HandlersOf<PeopleOperations> {
  return {
    async 'people.list'({ query: { limit, cursor } }, { access }) {
      const after = decodeCursor(cursor, 1)
      const people = await listPeople(deps.db, after === null ? null : String(after[0]))
      const within = people.filter((person) => isWithin(person.access, access))
      return page(within.slice(0, limit + 1), limit, toPersonView, ({ id }) => [id])
    },
    'people.update': ({ params: { id }, body }, context) =>
      (body.disabled === true ? change : changeBeside)(deps, context, async (transaction) => {
        const person = await personWithin(transaction, id, context)
        const after = changed(person, body, context.now)
        if (after.roleFrom === 'admin') await checkGivable(transaction, after.access, context.access)
        await updatePerson(transaction, after)
        if (after.disabledAt !== null) {
          await deleteSessionsOf(transaction, id)
          await revokeKeysOf(transaction, id, context.now)
        }
        const audit = isDeepStrictEqual(person, after) ? null : personAuditEntry('people.update', person, after)
        return { result: toPersonView(after), audit }
      }),
    'people.remove': ({ params: { id } }, context) =>
      change(deps, context, async (transaction) => {
        const person = await personWithin(transaction, id, context)
        await revokeKeysOf(transaction, id, context.now)
        await deletePerson(transaction, id)
        return { result: undefined, audit: personAuditEntry('people.remove', person, null) }
      }),
    'people.end-sessions': ({ params: { id } }, context) =>
      changeBeside(deps, context, async (transaction) => {
        const person = await personWithin(transaction, id, context)
        const sessions = await deleteSessionsOf(transaction, id)
        const audit = { ...personAuditEntry('people.end-sessions', person, null), before: { sessions }, after: null }
        return { result: undefined, audit: sessions === 0 ? null : audit }
      }),
  }
}

interface Change {
  role?: Person['access']['role'] | undefined
  workspaces?: string[] | null | undefined
  disabled?: boolean | undefined
}

/** A role that an admin has changed is the admin's from then on; groups no longer change it. */
function changed(person: Person, { role, workspaces, disabled }: Change, now: number): Person {
  const isGiven = role !== undefined || workspaces !== undefined
  const access = {
    role: role ?? person.access.role,
    workspaces: workspaces === undefined ? person.access.workspaces : workspaces,
  }
  const disabledAt = disabled === undefined ? person.disabledAt : disabled ? (person.disabledAt ?? now) : null
  return { ...person, access, roleFrom: isGiven ? 'admin' : person.roleFrom, disabledAt }
}

/** People with more access than the caller are not found. */
async function personWithin(db: Transaction<Database>, id: string, { access }: Context): Promise<Person> {
  const person = await lockPerson(db, { id })
  if (person !== null && isWithin(person.access, access)) return person
  throw new GatewayError('not_found', `There is no person with the id '${id}'.`)
}

export function toPersonView(person: Person) {
  const { role, workspaces } = person.access
  return {
    id: person.id,
    email: person.email,
    name: person.name,
    issuer: person.issuer,
    subject: person.subject,
    role,
    workspaces: workspaces === null ? null : [...workspaces],
    role_from: person.roleFrom,
    created_at: timestamp(person.createdAt),
    last_seen_at: timestamp(person.lastSeenAt),
    disabled_at: timestampOrNull(person.disabledAt),
  }
}

export function personAuditEntry(action: string, before: Person | null, after: Person | null) {
  const view = (person: Person | null) => (person === null ? null : toPersonView(person))
  const resource = `people/${(after ?? before)?.id}`
  return { action, workspace: null, resource, before: view(before), after: view(after) }
}
