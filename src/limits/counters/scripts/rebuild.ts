import { defineScript } from '../script.ts'
import { LEASES_PART } from './lease.ts'
import { SCOPES_PART } from './scope.ts'

/**
 * Reports that the log has every row of this node. `server` is the server's process: a report to another process may
 * come from an old snapshot. Answers with the nodes that have reported; none with a ledger.
 */
export const ARRIVE = defineScript(
  { name: 'arrive', takes: ['node', 'server'], answers: ['nodes'], uses: [SCOPES_PART] },
  `
if redis.call('EXISTS', KEYS[1]) == 1 then return { {} } end
redis.call('HSET', ROOT .. 'arrived', node, server)
local found = {}
local flat = redis.call('HGETALL', ROOT .. 'arrived')
for index = 1, #flat, 2 do
  if flat[index + 1] == server then found[#found + 1] = flat[index] end
end
return { found }
`,
)

/**
 * One node rebuilds at a time; if it dies, another may start over when the mark expires. Existing data is deleted.
 * Answers with the time, or 0.
 */
export const BEGIN = defineScript(
  { name: 'begin', takes: ['token'], answers: ['at'], uses: [SCOPES_PART] },
  `
if redis.call('EXISTS', KEYS[1]) == 1 then return { 0 } end
if not redis.call('SET', ROOT .. 'rebuilding', token, 'NX', 'PX', 30000) then return { 0 } end
for _, name in ipairs(redis.call('SMEMBERS', ROOT .. 'scopes')) do
  redis.call('DEL', ROOT .. 'scope:' .. name, ROOT .. 'minute:' .. name, ROOT .. 'leases:' .. name)
end
for _, node in ipairs(redis.call('SMEMBERS', ROOT .. 'nodes')) do
  redis.call('DEL', ROOT .. 'node:' .. node, ROOT .. 'leased:' .. node, ROOT .. 'recalled:' .. node, ROOT .. 'beyond:' .. node)
end
redis.call('DEL', ROOT .. 'scopes', ROOT .. 'nodes', ROOT .. 'alive', ROOT .. 'awaited')
return { told_time(time_by('')) }
`,
)

/** What one scope has used. `is_done`: 0 when another node has taken over the rebuild. */
export const WRITE_SCOPE = defineScript(
  { name: 'write-scope', takes: ['clock', 'token', 'logged_text'], answers: ['is_done'], uses: [SCOPES_PART] },
  `
if redis.call('GET', ROOT .. 'rebuilding') ~= token then return { 0 } end
local now, logged = time_by(clock), cjson.decode(logged_text)
local name = logged.name
local scope = load(name, now)
for place = 0, 2 * PERIODS - 1 do scope[SCOPE.day_spent + place] = logged[LOGGED.day_spent + place] end
count_all(scope, name, now, logged.minute, 1)
expire(scope, name, now)
save(scope, name)
return { 1 }
`,
)

/**
 * Marks the ledger as usable. Running nodes first report what they hold; until then nothing is decided. `is_done`: 0
 * when too late.
 */
export const COMPLETE = defineScript(
  {
    name: 'complete',
    takes: ['token', 'generation', 'rebuilt_text'],
    answers: ['is_done'],
    uses: [SCOPES_PART, LEASES_PART],
  },
  `
if redis.call('GET', ROOT .. 'rebuilding') ~= token then return { 0 } end
local rebuilt = cjson.decode(rebuilt_text)
for _, node in ipairs(rebuilt.nodes) do
  redis.call('SADD', ROOT .. 'awaited', node)
  -- If it has died meanwhile, other nodes release what it held.
  redis.call('SADD', ROOT .. 'nodes', node)
  redis.call('HSET', ROOT .. 'node:' .. node, 'number', 0)
end
for _, position in ipairs(rebuilt.positions) do
  redis.call('HSET', ROOT .. 'node:' .. position.node, 'position', position.seq)
end
for _, id in ipairs(rebuilt.left) do mark_booked(generation, id) end
redis.call('HSET', KEYS[1], 'generation', generation, 'sequence', 0)
redis.call('DEL', ROOT .. 'rebuilding', ROOT .. 'arrived')
return { 1 }
`,
)

/** Invalidates this ledger, so that it is rebuilt; generation '' is any. */
export const FORGET = defineScript(
  { name: 'forget', takes: ['generation'], answers: [], uses: [SCOPES_PART] },
  `
if generation ~= '' and redis.call('HGET', KEYS[1], 'generation') ~= generation then return {} end
redis.call('DEL', KEYS[1], ROOT .. 'arrived', ROOT .. 'rebuilding')
return {}
`,
)

/**
 * Which process of the server keeps this ledger. `is_another`: 1 when it is not this one, and `distrusts` is "1"
 * because another one may know less. Otherwise a new process decides nothing until every node that was alive when the
 * last one ended has reported what it holds.
 */
export const IDENTIFY = defineScript(
  {
    name: 'identify',
    takes: ['generation', 'server', 'distrusts'],
    answers: ['is_another'],
    uses: [SCOPES_PART, LEASES_PART],
  },
  `
if redis.call('HGET', KEYS[1], 'generation') ~= generation then return { 0 } end
local known = redis.call('HGET', KEYS[1], 'server')
if distrusts == '1' and known and known ~= server then return { 1 } end
local _, newest = unpack(redis.call('ZREVRANGE', ROOT .. 'alive', 0, 0, 'WITHSCORES'))
if known and known ~= server and newest then
  local recent = redis.call('ZRANGEBYSCORE', ROOT .. 'alive', tonumber(newest) - SILENT, '+inf')
  if #recent > 0 then redis.call('SADD', ROOT .. 'awaited', unpack(recent)) end
end
redis.call('HSET', KEYS[1], 'server', server)
return { 0 }
`,
)
