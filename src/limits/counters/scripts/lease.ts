/**
 * Leases. What a node may use of a scope without asking is in the hash `leases:SCOPE` under the node, and a scope has
 * their sums (fields.ts). The scopes of a node are the set `leased:NODE`; `alive` has the time of each node's last
 * message.
 *
 * Invariant: spent plus leased is within the limit (unless the limit was lowered since). Nothing here depends on a
 * clock: a node that is cut off can use its leases and no more.
 */
export const LEASES_PART = `
local NONE = {}
for place = LEASE.money, LEASE.idle_rest do NONE[place] = 0 end
-- Do not wait for a node that has been silent this long.
local SILENT = 3000

local function lease_of(name, node)
  local packed = redis.call('HGET', ROOT .. 'leases:' .. name, node)
  return packed and cmsgpack.unpack(packed) or { unpack(NONE) }
end

-- The sums of a scope when a lease changes.
local function move_lease(scope, before, after)
  add(scope, SCOPE.leased, after.money - before.money, after.money_rest - before.money_rest)
  add(scope, SCOPE.idle, after.idle - before.idle, after.idle_rest - before.idle_rest)
  scope.leased_calls = scope.leased_calls + after.calls - before.calls
  scope.leased_requests = scope.leased_requests + after.requests - before.requests
  scope.leased_tokens = scope.leased_tokens + after.tokens - before.tokens
  scope.in_flight = scope.in_flight + after.in_flight - before.in_flight
end

local function is_none(lease)
  for place = LEASE.money, LEASE.in_flight do
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

-- Releases everything a node holds, or everything except money: only its spool knows what it has spent.
local function drop_leases(node, now, keeps_money)
  for _, name in ipairs(redis.call('SMEMBERS', ROOT .. 'leased:' .. node)) do
    local scope = load(name, now)
    local before, after = lease_of(name, node), { unpack(NONE) }
    if keeps_money then
      after.money, after.money_rest = before.money, before.money_rest
      after.idle, after.idle_rest = before.money, before.money_rest
    end
    move_lease(scope, before, after)
    write_lease(name, node, before, after)
    scope.changes = scope.changes + 1
    save(scope, name)
  end
end

-- A node heard from within this many milliseconds is alive.
local function is_alive(node, now, within)
  local heard = redis.call('ZSCORE', ROOT .. 'alive', node)
  return heard and tonumber(heard) >= now - within
end

-- A cost counts in the periods in which its call was admitted; periods that have ended are not reported.
-- After the clock was set back, calls are admitted before their period began; they must still count in it.
local function spend(scope, now, at, dollars, rest)
  for period = 1, PERIODS do
    local began = scope[began_place(period)]
    if at >= began or now < began then add(scope, spent_place(period), dollars, rest) end
  end
end

-- Books a call by its id: only for calls left behind by a node that died.
local function mark_booked(generation, id)
  return redis.call('SET', ROOT .. 'booked:' .. generation .. ':' .. id, '1', 'NX', 'EX', 259200)
end
`
