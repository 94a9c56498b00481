import type { Connection } from './connection.ts'
import { defineScript } from './script.ts'
import { SCOPES_PART } from './scripts/scope.ts'

/**
 * How keys and values of the counters are written. A version that writes them in a way that the one before would misread
 * has the next number: while both run, the newer one refuses to start beside the older one's counters.
 */
export const COUNTERS_FORMAT = 1

/** The counters belong to the installation that used them first; a rebuild does not change that. */
const ENTER = defineScript(
  { name: 'enter', takes: ['installation', 'format'], answers: ['is_ours', 'present'], uses: [SCOPES_PART] },
  `
local key = ROOT .. 'installation'
redis.call('SET', key, installation, 'NX')
redis.call('SET', ROOT .. 'format', format, 'NX')
return { redis.call('GET', key) == installation and 1 or 0, redis.call('GET', ROOT .. 'format') }
`,
)

/** Only looks: the id, '' for none. */
export const OWNER = defineScript(
  { name: 'owner', answers: ['installation'], uses: [SCOPES_PART] },
  `return { redis.call('GET', ROOT .. 'installation') or '' }`,
)

/** They have the same prefix and another database, or another version wrote them in another way. */
export class AnothersCountersError extends Error {}

/** Only one installation uses these counters: two would count into the budgets of both. */
export async function enter(
  connection: Connection,
  { installation, prefix }: { installation: string; prefix: string },
): Promise<void> {
  const format = String(COUNTERS_FORMAT)
  const { is_ours: isOurs, present } = await connection.run(ENTER, { installation, format })
  if (isOurs !== 1) throw new AnothersCountersError(anothersCounters(prefix))
  if (String(present) !== format) throw new AnothersCountersError(otherFormat(prefix, String(present)))
}

/** `prefix`: as the keys have it. */
export function anothersCounters(prefix: string): string {
  return (
    `the counters ${prefix} belong to another installation (another database): both would count into one budget. ` +
    `Set another REDIS_PREFIX; where that installation is gone for good, delete the key ${prefix}installation`
  )
}

function otherFormat(prefix: string, present: string): string {
  return (
    `the counters ${prefix} are of format ${present}, this version knows ${COUNTERS_FORMAT}: gateways of both versions ` +
    `cannot count together. Stop those of the other version, then delete the key ${prefix}format and all others of the prefix`
  )
}
