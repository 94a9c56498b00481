import { defineScript } from '../script.ts'
import { LEASE } from './lease.ts'
import { SCOPE } from './scope.ts'

/**
 * A process becomes the node. What an earlier one leased stays until the first message tells what that one had spent.
 * ARGV: clock, node, and the process, which has another name each time: a message of before it joined must not be taken
 * for one of now. Returns 0 without a ledger; else 1, the time, generation, sequence, the position up to which the node's
 * spool is reported, and of how many scopes it has leases.
 */
export const JOIN = defineScript(
  'join',
  SCOPE,
  `
local ledger = redis.call('HMGET', KEYS[1], 'generation', 'sequence')
local now = clock(ARGV[1])
if not ledger[1] then return { 0, told_time(now) } end
local record = ROOT .. 'node:' .. ARGV[2]
local position = redis.call('HGET', record, 'position') or '0'
redis.call('HSET', record, 'process', ARGV[3], 'number', 0, 'position', position)
redis.call('HDEL', record, 'outcomes')
redis.call('SADD', ROOT .. 'nodes', ARGV[2])
redis.call('ZADD', ROOT .. 'alive', now, ARGV[2])
local scopes = redis.call('SCARD', ROOT .. 'leased:' .. ARGV[2])
return { 1, told_time(now), tonumber(ledger[1]), tonumber(ledger[2]), tonumber(position), scopes }
`,
)

/** How the ledger stands. Returns the time, generation (0: none) and sequence. */
export const LOOK = defineScript(
  'look',
  SCOPE,
  `
local ledger = redis.call('HMGET', KEYS[1], 'generation', 'sequence')
return { told_time(clock('')), tonumber(ledger[1] or '0'), tonumber(ledger[2] or '0') }
`,
)

/**
 * A node that has reported everything and runs no call leaves. Or others see it off: ARGV: clock, node, milliseconds for
 * which it must have been silent ('': it leaves by itself), and the position up to which the log has its spool. Returns
 * 0 when it was heard, 2 when the log has something that the counters were not told.
 */
export const LEAVE = defineScript(
  'leave',
  SCOPE,
  LEASE,
  `
local now = clock(ARGV[1])
if ARGV[3] ~= '' then
  local heard = redis.call('ZSCORE', ROOT .. 'alive', ARGV[2])
  if heard and tonumber(heard) >= now - tonumber(ARGV[3]) then return { 0 } end
  local position = redis.call('HGET', ROOT .. 'node:' .. ARGV[2], 'position') or '0'
  if tonumber(position) < tonumber(ARGV[4]) then return { 2 } end
end
drop_leases(ARGV[2], now, false)
redis.call('ZREM', ROOT .. 'alive', ARGV[2])
redis.call('SREM', ROOT .. 'nodes', ARGV[2])
redis.call('SREM', ROOT .. 'awaited', ARGV[2])
redis.call('DEL', ROOT .. 'recalled:' .. ARGV[2], ROOT .. 'ahead:' .. ARGV[2])
-- Should it run after all, it has to join again.
redis.call('HDEL', ROOT .. 'node:' .. ARGV[2], 'process')
redis.call('HINCRBY', KEYS[1], 'sequence', 1)
return { 1 }
`,
)

/** Nodes that have not been heard for this many milliseconds. ARGV: clock, milliseconds. */
export const DEAD = defineScript(
  'dead',
  SCOPE,
  `
local now, found = clock(ARGV[1]), {}
for _, node in ipairs(redis.call('SMEMBERS', ROOT .. 'nodes')) do
  local heard = redis.call('ZSCORE', ROOT .. 'alive', node)
  -- Heard in a time that is still to come: the clock was set back.
  if heard and tonumber(heard) > now then redis.call('ZADD', ROOT .. 'alive', now, node) end
  if not heard or tonumber(heard) < now - tonumber(ARGV[2]) then found[#found + 1] = node end
end
return found
`,
)

/**
 * A node is dead: its calls run no more, and what it could still use of the minute is free. Its money stays leased until
 * its spool tells what it has spent; and if nothing was told since a rebuild, it is still waited for. ARGV: clock, node,
 * milliseconds for which it must have been silent.
 */
export const BURY = defineScript(
  'bury',
  SCOPE,
  LEASE,
  `
local now = clock(ARGV[1])
local heard = redis.call('ZSCORE', ROOT .. 'alive', ARGV[2])
if heard and tonumber(heard) >= now - tonumber(ARGV[3]) then return { 0 } end
redis.call('ZREM', ROOT .. 'alive', ARGV[2])
local number = redis.call('HGET', ROOT .. 'node:' .. ARGV[2], 'number') or '0'
if tonumber(number) > 0 then redis.call('SREM', ROOT .. 'awaited', ARGV[2]) end
drop_leases(ARGV[2], now, true)
redis.call('HINCRBY', KEYS[1], 'sequence', 1)
return { 1 }
`,
)

/** What each node has leased: node, then scope, dollars and rest of each. */
export const LEASED = defineScript(
  'leased',
  SCOPE,
  LEASE,
  `
local found = {}
for _, node in ipairs(redis.call('SMEMBERS', ROOT .. 'nodes')) do
  local entry = { node }
  for _, name in ipairs(redis.call('SMEMBERS', ROOT .. 'leased:' .. node)) do
    local lease = lease_of(name, node)
    entry[#entry + 1], entry[#entry + 2], entry[#entry + 3] = name, lease[1], lease[2]
  end
  found[#found + 1] = entry
end
return found
`,
)
