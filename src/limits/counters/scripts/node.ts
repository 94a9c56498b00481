import { defineScript } from '../script.ts'
import { LEASE } from './lease.ts'
import { SCOPE } from './scope.ts'

/**
 * A process becomes the node. What an earlier one leased stays until the first message tells what that one had spent.
 * ARGV: node, process. Returns 0 without a ledger; else 1, the time, generation, sequence, the position up to which the
 * node's spool is reported, and of how many scopes it has leases.
 */
export const JOIN = defineScript(
  'join',
  SCOPE,
  `
local ledger = redis.call('HMGET', KEYS[1], 'generation', 'sequence')
if not ledger[1] then return { 0, told_time(clock('')) } end
local record = ROOT .. 'node:' .. ARGV[1]
local position = redis.call('HGET', record, 'position') or '0'
redis.call('HSET', record, 'process', ARGV[2], 'number', 0, 'position', position)
redis.call('HDEL', record, 'outcomes')
redis.call('SADD', ROOT .. 'nodes', ARGV[1])
local scopes = redis.call('SCARD', ROOT .. 'leased:' .. ARGV[1])
return { 1, told_time(clock('')), tonumber(ledger[1]), tonumber(ledger[2]), tonumber(position), scopes }
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

/** A node that has reported everything and runs no call leaves. ARGV: clock, node. */
export const LEAVE = defineScript(
  'leave',
  SCOPE,
  LEASE,
  `
drop_leases(ARGV[2], clock(ARGV[1]), false)
redis.call('ZREM', ROOT .. 'alive', ARGV[2])
redis.call('SREM', ROOT .. 'nodes', ARGV[2])
redis.call('SREM', ROOT .. 'awaited', ARGV[2])
redis.call('DEL', ROOT .. 'recalled:' .. ARGV[2])
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
 * its spool tells what it has spent. ARGV: clock, node, milliseconds for which it must have been silent.
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
redis.call('SREM', ROOT .. 'awaited', ARGV[2])
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
