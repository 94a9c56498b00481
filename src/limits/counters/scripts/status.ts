import { defineScript } from '../script.ts'
import { SCOPES_PART } from './scope.ts'

/** Scopes as they are now, in the order of their names; `has_ledger`: 0 without one. */
export const STATUS = defineScript(
  { name: 'status', takes: ['clock', 'names'], answers: ['has_ledger', 'scopes'], uses: [SCOPES_PART] },
  `
answer.has_ledger, answer.scopes = redis.call('EXISTS', KEYS[1]), {}
if answer.has_ledger == 0 then return answer end
local now = time_by(clock)
for place, name in ipairs(cjson.decode(names)) do
  local scope = load(name, now, true)
  answer.scopes[place] = scope
end
return answer
`,
)

/** Names of every scope that has ever been used. */
export const SCOPE_NAMES = defineScript(
  { name: 'scope-names', answers: ['names'], uses: [SCOPES_PART] },
  `return { redis.call('SMEMBERS', ROOT .. 'scopes') }`,
)
