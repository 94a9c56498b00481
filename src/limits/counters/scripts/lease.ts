/**
 * Leases. What a node may use of a scope without asking stands in the hash `leases:SCOPE` under the node: dollars, rest,
 * calls at a time, requests, tokens, calls in flight, 1 when some of it may be idle, and dollars and rest that no call
 * holds. A scope has their sums. The scopes of a node are the set `leased:NODE`; `alive` says when each was last heard.
 *
 * Always: what is spent and what is leased are together within the limit (unless the limit was lowered since). Nothing
 * here depends on a clock: a node that is cut off can use what it has and no more.
 */
export const LEASE = `
local NONE = { 0, 0, 0, 0, 0, 0, 0, 0, 0 }
-- A node that was silent for this long is not waited for.
local SILENT = 3000

local function lease_of(name, node)
  local packed = redis.call('HGET', ROOT .. 'leases:' .. name, node)
  return packed and cmsgpack.unpack(packed) or { unpack(NONE) }
end

-- The sums of a scope when a lease changes.
local function move_lease(scope, before, after)
  add(scope, 14, after[1] - before[1], after[2] - before[2])
  add(scope, 26, after[8] - before[8], after[9] - before[9])
  for place = 3, 6 do scope[13 + place] = scope[13 + place] + after[place] - before[place] end
end

local function is_none(lease)
  for place = 1, 6 do
    if lease[place] ~= 0 then return false end
  end
  return true
end

local function write_lease(name, node, before, after)
  if not is_none(after) then
    redis.call('HSET', ROOT .. 'leases:' .. name, node, cmsgpack.pack(after))
    if is_none(before) then redis.call('SADD', ROOT .. 'leased:' .. node, name) end
  elseif not is_none(before) then
    redis.call('HDEL', ROOT .. 'leases:' .. name, node)
    redis.call('SREM', ROOT .. 'leased:' .. node, name)
  end
end

-- Everything of a node, or all but its money: what it has spent is known only to its spool.
local function drop_leases(node, now, keeps_money)
  for _, name in ipairs(redis.call('SMEMBERS', ROOT .. 'leased:' .. node)) do
    local scope = load(name, now)
    local before = lease_of(name, node)
    local after = keeps_money and { before[1], before[2], 0, 0, 0, 0, 0, before[1], before[2] } or NONE
    move_lease(scope, before, after)
    write_lease(name, node, before, after)
    scope[20] = scope[20] + 1
    save(scope, name)
  end
end

-- A cost belongs to the periods of the moment at which its call was admitted; of those that are over nobody is told.
-- When the clock has gone back, calls are admitted before their period began: they count in it, or nothing bounds them.
local function spend(scope, now, at, dollars, rest)
  for period = 1, 4 do
    if at >= scope[1 + period] or now < scope[1 + period] then add(scope, 4 + 2 * period, dollars, rest) end
  end
end

-- A call is booked by its id: only for calls that a node left behind when it died.
local function mark_booked(generation, id)
  return redis.call('SET', ROOT .. 'booked:' .. generation .. ':' .. id, '1', 'NX', 'EX', 259200)
end
`
