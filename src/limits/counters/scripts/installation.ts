import { defineScript } from '../script.ts'
import { SCOPE } from './scope.ts'

/**
 * The counters belong to the installation that used them first; a rebuild does not change that. ARGV: its id. Returns 1
 * when that is this one.
 */
export const ENTER = defineScript(
  'enter',
  SCOPE,
  `
local key = ROOT .. 'installation'
redis.call('SET', key, ARGV[1], 'NX')
return { redis.call('GET', key) == ARGV[1] and 1 or 0 }
`,
)

/** Only looks. Returns the id, '' for none. */
export const OWNER = defineScript('owner', SCOPE, `return { redis.call('GET', ROOT .. 'installation') or '' }`)
