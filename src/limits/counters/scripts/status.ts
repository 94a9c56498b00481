import { defineScript } from '../script.ts'
import { SCOPE } from './scope.ts'

/** ARGV: clock, names of scopes. Returns 0 without a ledger, else the time and each scope as packed. */
export const STATUS = defineScript(
  'status',
  SCOPE,
  `
if redis.call('EXISTS', KEYS[1]) == 0 then return { 0 } end
local now = clock(ARGV[1])
local found = { now }
for index = 2, #ARGV do found[index] = load(ARGV[index], now, true) end
return found
`,
)

/** Names of every scope that has ever been used. */
export const SCOPES = defineScript('scopes', SCOPE, `return redis.call('SMEMBERS', ROOT .. 'scopes')`)
