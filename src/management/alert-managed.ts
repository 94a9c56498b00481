import type { Kysely } from 'kysely'
import { GatewayError } from '../domain/errors.ts'
import { type ManagedAlerts, readManaged } from '../store/control/alert-managed.ts'
import type { Database } from '../store/engine/schema.ts'

export async function refuseManaged(db: Kysely<Database>, kind: keyof ManagedAlerts, name: string): Promise<void> {
  if ((await readManaged(db))[kind].includes(name)) {
    throw new GatewayError('managed_by_config', `'${name}' is set in switchyard.yaml; change it there.`)
  }
}
