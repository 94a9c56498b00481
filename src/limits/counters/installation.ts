import type { Connection } from './connection.ts'
import { defineScript } from './script.ts'
import { SCOPES_PART } from './scripts/scope.ts'

/** The counters belong to the installation that used them first; a rebuild does not change that. */
const ENTER = defineScript(
  { name: 'enter', takes: ['installation'], answers: ['is_ours'], uses: [SCOPES_PART] },
  `
local key = ROOT .. 'installation'
redis.call('SET', key, installation, 'NX')
return { redis.call('GET', key) == installation and 1 or 0 }
`,
)

/** Only looks: the id, '' for none. */
export const OWNER = defineScript(
  { name: 'owner', answers: ['installation'], uses: [SCOPES_PART] },
  `return { redis.call('GET', ROOT .. 'installation') or '' }`,
)

/** They have the same prefix and another database. */
export class AnothersCountersError extends Error {}

/** Only one installation uses these counters: two would count into the budgets of both. */
export async function enter(
  connection: Connection,
  { installation, prefix }: { installation: string; prefix: string },
): Promise<void> {
  const { is_ours: isOurs } = await connection.run(ENTER, { installation })
  if (isOurs !== 1) throw new AnothersCountersError(anothersCounters(prefix))
}

/** `prefix`: as the keys have it. */
export function anothersCounters(prefix: string): string {
  return (
    `the counters ${prefix} belong to another installation (another database): both would count into one budget. ` +
    `Set another REDIS_PREFIX; where that installation is gone for good, delete the key ${prefix}installation`
  )
}
