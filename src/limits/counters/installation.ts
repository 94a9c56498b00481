import type { Connection } from './connection.ts'
import { ENTER } from './scripts/installation.ts'

/** They have the same prefix and another database. */
export class AnothersCountersError extends Error {}

/** Only one installation uses these counters: two would count into the budgets of both. */
export async function enter(
  connection: Connection,
  { installation, prefix }: { installation: string; prefix: string },
): Promise<void> {
  const [isOurs] = await connection.run(ENTER, [installation])
  if (isOurs !== 1) throw new AnothersCountersError(anothersCounters(prefix))
}

/** `prefix`: as the keys have it. */
export function anothersCounters(prefix: string): string {
  return (
    `the counters ${prefix} belong to another installation (another database): both would count into one budget. ` +
    `Set another REDIS_PREFIX; where that installation is gone for good, delete the key ${prefix}installation`
  )
}
