import type { Kysely, Transaction } from 'kysely'
import { newId } from '../../domain/new-id.ts'
import type { Person } from '../../domain/people/person.ts'
import type { Database, PersonRow } from '../engine/schema.ts'
import { jsonOrNull, storedAccess } from './keys.ts'
import { Overtaken } from './overtaken.ts'

export type NewPerson = Omit<Person, 'id' | 'createdAt' | 'lastSeenAt' | 'disabledAt'>

/** Throws `Overtaken` when another request has just done so. */
export async function createPerson(db: Kysely<Database>, input: NewPerson, now: number): Promise<Person> {
  const person: Person = { ...input, id: newId(now), createdAt: now, lastSeenAt: now, disabledAt: null }
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('people')
    .values({
      id: person.id,
      issuer: person.issuer,
      subject: person.subject,
      created_at: now,
      ...columnsOf(person),
    })
    .onConflict((conflict) => conflict.columns(['issuer', 'subject']).doNothing())
    .executeTakeFirst()
  if (numInsertedOrUpdatedRows !== 1n) throw new Overtaken()
  return person
}

/** Locked until the transaction ends, so that what was read is still true when it is written. */
export async function lockPerson(
  db: Transaction<Database>,
  by: { id: string } | Pick<Person, 'issuer' | 'subject'>,
): Promise<Person | null> {
  const touched = db.updateTable('people').set(({ ref }) => ({ last_seen_at: ref('last_seen_at') }))
  const one =
    'id' in by
      ? touched.where('id', '=', by.id)
      : touched.where('issuer', '=', by.issuer).where('subject', '=', by.subject)
  const row = await one.returningAll().executeTakeFirst()
  return row === undefined ? null : personFromRow(row)
}

/** Newest first. They are few, so all are read and filtered by the caller's access. */
export async function listPeople(db: Kysely<Database>, after: string | null): Promise<Person[]> {
  let rows = db.selectFrom('people').selectAll().orderBy('id', 'desc')
  if (after !== null) rows = rows.where('id', '<', after)
  return (await rows.execute()).map(personFromRow)
}

/** All that may change: who they are does not. */
export async function updatePerson(db: Kysely<Database>, person: Person): Promise<void> {
  await db.updateTable('people').set(columnsOf(person)).where('id', '=', person.id).execute()
}

export async function notePersonSeen(db: Kysely<Database>, id: string, now: number): Promise<void> {
  await db.updateTable('people').set({ last_seen_at: now }).where('id', '=', id).execute()
}

/** With their sessions. */
export async function deletePerson(db: Kysely<Database>, id: string): Promise<void> {
  await deleteSessionsOf(db, id)
  await db.deleteFrom('people').where('id', '=', id).execute()
}

/** How many there were. */
export async function deleteSessionsOf(db: Kysely<Database>, personId: string): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('person_sessions')
    .where('person_id', '=', personId)
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}

function columnsOf(person: Person) {
  return {
    email: person.email,
    name: person.name,
    role: person.access.role,
    workspaces: jsonOrNull(person.access.workspaces),
    role_from: person.roleFrom,
    last_seen_at: person.lastSeenAt,
    disabled_at: person.disabledAt,
  }
}

export function personFromRow(row: PersonRow): Person {
  return {
    id: row.id,
    issuer: row.issuer,
    subject: row.subject,
    email: row.email,
    name: row.name,
    access: storedAccess(row),
    roleFrom: row.role_from,
    createdAt: row.created_at,
    lastSeenAt: row.last_seen_at,
    disabledAt: row.disabled_at,
  }
}
