import { defineScript } from '../script.ts'
import { LEASE } from './lease.ts'
import { SCOPE } from './scope.ts'

/**
 * Reports that the log has every row of this node. ARGV: node, the server's process: a report to another process may
 * come from an old snapshot. Returns the nodes that have reported; nothing with a ledger.
 */
export const ARRIVE = defineScript(
  'arrive',
  SCOPE,
  `
if redis.call('EXISTS', KEYS[1]) == 1 then return {} end
redis.call('HSET', ROOT .. 'arrived', ARGV[1], ARGV[2])
local found = {}
local flat = redis.call('HGETALL', ROOT .. 'arrived')
for index = 1, #flat, 2 do
  if flat[index + 1] == ARGV[2] then found[#found + 1] = flat[index] end
end
return found
`,
)

/**
 * One node rebuilds at a time; if it dies, another may start over when the mark expires. Existing data is deleted.
 * ARGV: token. Returns the time, or 0.
 */
export const BEGIN = defineScript(
  'begin',
  SCOPE,
  `
if redis.call('EXISTS', KEYS[1]) == 1 then return { 0 } end
if not redis.call('SET', ROOT .. 'rebuilding', ARGV[1], 'NX', 'PX', 30000) then return { 0 } end
for _, name in ipairs(redis.call('SMEMBERS', ROOT .. 'scopes')) do
  redis.call('DEL', ROOT .. 'scope:' .. name, ROOT .. 'minute:' .. name, ROOT .. 'leases:' .. name)
end
for _, node in ipairs(redis.call('SMEMBERS', ROOT .. 'nodes')) do
  redis.call('DEL', ROOT .. 'node:' .. node, ROOT .. 'leased:' .. node, ROOT .. 'recalled:' .. node, ROOT .. 'ahead:' .. node)
end
redis.call('DEL', ROOT .. 'scopes', ROOT .. 'nodes', ROOT .. 'alive', ROOT .. 'awaited')
return { told_time(clock('')) }
`,
)

/**
 * What one scope has used. ARGV: clock, token, name, eight numbers for the money of its periods, then second, requests
 * and tokens of each second. Returns 0 when another node has taken over the rebuild.
 */
export const WRITE_SCOPE = defineScript(
  'write-scope',
  SCOPE,
  `
if redis.call('GET', ROOT .. 'rebuilding') ~= ARGV[2] then return { 0 } end
local now = clock(ARGV[1])
local scope = load(ARGV[3], now)
for place = 0, 7 do scope[6 + place] = tonumber(ARGV[4 + place]) end
for index = 12, #ARGV, 3 do
  count(scope, ARGV[3], now, tonumber(ARGV[index]), tonumber(ARGV[index + 1]), tonumber(ARGV[index + 2]))
end
expire(scope, ARGV[3], now)
save(scope, ARGV[3])
return { 1 }
`,
)

/**
 * Marks the ledger as usable. Nodes that run now tell first what they hold; until then nothing is decided.
 * ARGV: token, generation, number of nodes that run, these, then node and position of each spool, and after an empty
 * one the ids of calls that have a cost without an end in a spool. Returns 0 when too late.
 */
export const COMPLETE = defineScript(
  'complete',
  SCOPE,
  LEASE,
  `
if redis.call('GET', ROOT .. 'rebuilding') ~= ARGV[1] then return { 0 } end
local index = 4 + tonumber(ARGV[3])
for place = 4, index - 1 do
  redis.call('SADD', ROOT .. 'awaited', ARGV[place])
  -- Should it be gone by now, others see it off.
  redis.call('SADD', ROOT .. 'nodes', ARGV[place])
  redis.call('HSET', ROOT .. 'node:' .. ARGV[place], 'number', 0)
end
while ARGV[index] and ARGV[index] ~= '' do
  redis.call('HSET', ROOT .. 'node:' .. ARGV[index], 'position', ARGV[index + 1])
  index = index + 2
end
for place = index + 1, #ARGV do mark_booked(ARGV[2], ARGV[place]) end
redis.call('HSET', KEYS[1], 'generation', ARGV[2], 'sequence', 0)
redis.call('DEL', ROOT .. 'rebuilding', ROOT .. 'arrived')
return { 1 }
`,
)

/** Invalidates this ledger, so that it is rebuilt. ARGV: generation, or '' for any. */
export const FORGET = defineScript(
  'forget',
  SCOPE,
  `
if ARGV[1] ~= '' and redis.call('HGET', KEYS[1], 'generation') ~= ARGV[1] then return { 0 } end
redis.call('DEL', KEYS[1], ROOT .. 'arrived', ROOT .. 'rebuilding')
return { 1 }
`,
)

/**
 * Which process of the server keeps this ledger. ARGV: generation, the process, "1" if another one may know less.
 * Returns 2 when it is another one. Otherwise a new process decides nothing until every node that was alive when the
 * last one ended has told what it holds.
 */
export const IDENTIFY = defineScript(
  'identify',
  SCOPE,
  LEASE,
  `
if redis.call('HGET', KEYS[1], 'generation') ~= ARGV[1] then return { 0 } end
local server = redis.call('HGET', KEYS[1], 'server')
if ARGV[3] == '1' and server and server ~= ARGV[2] then return { 2 } end
local newest = redis.call('ZREVRANGE', ROOT .. 'alive', 0, 0, 'WITHSCORES')[2]
if server and server ~= ARGV[2] and newest then
  local recent = redis.call('ZRANGEBYSCORE', ROOT .. 'alive', tonumber(newest) - SILENT, '+inf')
  if #recent > 0 then redis.call('SADD', ROOT .. 'awaited', unpack(recent)) end
end
redis.call('HSET', KEYS[1], 'server', ARGV[2])
return { 1 }
`,
)
