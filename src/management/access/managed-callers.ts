import type { Kysely } from 'kysely'
import { GatewayError } from '../../domain/errors.ts'
import { type ManagedCallers, readManagedCallers } from '../../store/control/people/managed-callers.ts'
import type { Database } from '../../store/engine/schema.ts'

export async function refuseManagedCaller(
  db: Kysely<Database>,
  kind: keyof ManagedCallers,
  name: string,
): Promise<void> {
  if (!(await readManagedCallers(db))[kind].includes(name)) return
  throw new GatewayError('managed_by_config', `'${name}' is set in switchyard.yaml; change it there.`)
}

/** The owner of each, as the API says it. */
export async function ownersOf(db: Kysely<Database>, kind: keyof ManagedCallers) {
  const names = new Set((await readManagedCallers(db))[kind])
  return (name: string) => (names.has(name) ? ('config' as const) : null)
}
