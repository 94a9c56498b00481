import { defineScript } from '../script.ts'
import { ENTRY } from './entry.ts'
import { SCOPE } from './scope.ts'

/**
 * Renews a node's lease. ARGV: node, length of the lease in milliseconds.
 * Returns the time, generation (0: no ledger), sequence, and the nodes that have holds but no lease.
 */
export const RENEW = defineScript(
  'renew',
  SCOPE,
  `
redis.call('SET', ROOT .. 'lease:' .. ARGV[1], '1', 'PX', ARGV[2])
redis.call('SADD', ROOT .. 'nodes', ARGV[1])
local ledger = redis.call('HMGET', KEYS[1], 'generation', 'sequence')
local found = { clock(''), tonumber(ledger[1] or '0'), tonumber(ledger[2] or '0') }
for _, node in ipairs(redis.call('SMEMBERS', ROOT .. 'nodes')) do
  if redis.call('EXISTS', ROOT .. 'lease:' .. node) == 0 then
    if redis.call('EXISTS', ROOT .. 'holds:' .. node) == 1 then
      found[#found + 1] = node
    else
      redis.call('SREM', ROOT .. 'nodes', node)
    end
  end
end
return found
`,
)

/** A node shuts down cleanly. ARGV: node. */
export const LEAVE = defineScript(
  'leave',
  SCOPE,
  `
redis.call('DEL', ROOT .. 'lease:' .. ARGV[1])
if redis.call('EXISTS', ROOT .. 'holds:' .. ARGV[1]) == 0 then redis.call('SREM', ROOT .. 'nodes', ARGV[1]) end
return { 1 }
`,
)

const LIST = `
local function list(node, wanted)
  local found = {}
  local flat = redis.call('HGETALL', ROOT .. 'holds:' .. node)
  for index = 1, #flat, 2 do
    local entry = cmsgpack.unpack(flat[index + 1])
    if wanted(entry, flat[index]) then
      found[#found + 1] = { flat[index], entry[1], entry[2], entry[3], entry[4], entry[5], entry[6], entry[7], entry[8] or 0 }
    end
  end
  return found
end
`

/** Every hold of a node: id, state, key, workspace, time, dollars, rest, tokens, 1 for a stream. ARGV: node. */
export const HOLDS = defineScript('holds', SCOPE, ENTRY, LIST, 'return list(ARGV[1], function() return true end)')

/**
 * The holds of a node whose lease has expired: from now on none of its calls that wait for a booking is answered. They
 * stay held.
 * ARGV: node. Returns nothing while it has a lease.
 */
export const CLAIM = defineScript(
  'claim',
  SCOPE,
  ENTRY,
  LIST,
  `
if redis.call('EXISTS', ROOT .. 'lease:' .. ARGV[1]) == 1 then return {} end
return list(ARGV[1], function(entry, id)
  if entry[1] == HELD then
    entry[1] = CLOSING
    redis.call('HSET', ROOT .. 'holds:' .. ARGV[1], id, cmsgpack.pack(entry))
  end
  return entry[1] == CLOSING
end)
`,
)

/**
 * Settles holds by the log. ARGV: clock, node, "1" to keep those without an end as reaped, then for each: id, "1" if it
 * has ended, dollars, rest, tokens: what the log has for it, also of one without an end. Returns how many existed.
 */
export const RESOLVE = defineScript(
  'resolve',
  SCOPE,
  ENTRY,
  `
local generation = redis.call('HGET', KEYS[1], 'generation')
if not generation then return { 0 } end
local now = clock(ARGV[1])
local holds = ROOT .. 'holds:' .. ARGV[2]
local done = 0
for index = 4, #ARGV, 5 do
  local id, ended = ARGV[index], ARGV[index + 1] == '1'
  local packed = redis.call('HGET', holds, id)
  local entry = packed and cmsgpack.unpack(packed)
  local keeps = not ended and ARGV[3] == '1'
  if entry and not (keeps and entry[1] == REAPED) then
    local dollars, rest, tokens = tonumber(ARGV[index + 2]), tonumber(ARGV[index + 3]), tonumber(ARGV[index + 4])
    finish(entry, now, dollars, rest, tokens, false)
    if keeps then
      entry = { REAPED, entry[2], entry[3], entry[4], entry[5], entry[6], entry[7], entry[8] or 0, dollars, rest, tokens }
      redis.call('HSET', holds, id, cmsgpack.pack(entry))
    else
      redis.call('HDEL', holds, id)
      mark_charged(generation, id)
    end
    done = done + 1
  end
end
redis.call('HINCRBY', KEYS[1], 'sequence', 1)
return { done }
`,
)

/**
 * Running calls without a hold in a rebuilt ledger: they were given up before, and their real ends may still arrive.
 * ARGV: node, then for each: id, key, workspace, time, position of its open row in the spool, dollars and rest that the
 * log has for it.
 */
export const RETAIN = defineScript(
  'retain',
  SCOPE,
  ENTRY,
  `
local generation = redis.call('HGET', KEYS[1], 'generation')
if not generation then return { 0 } end
local holds = ROOT .. 'holds:' .. ARGV[1]
local read = tonumber(redis.call('HGET', ROOT .. 'positions', ARGV[1]) or '0')
for index = 2, #ARGV, 7 do
  local id = ARGV[index]
  local is_gone = redis.call('HEXISTS', holds, id) == 0 and redis.call('EXISTS', charged_key(generation, id)) == 0
  if is_gone and tonumber(ARGV[index + 4]) <= read then
    local entry = { REAPED, ARGV[index + 1], ARGV[index + 2], tonumber(ARGV[index + 3]), 0, 0, 0, 0 }
    entry[9], entry[10], entry[11] = tonumber(ARGV[index + 5]), tonumber(ARGV[index + 6]), 0
    redis.call('HSET', holds, id, cmsgpack.pack(entry))
  end
end
return { 1 }
`,
)
