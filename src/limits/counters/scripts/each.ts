import { defineScript } from '../script.ts'
import { SCOPES_PART } from './scope.ts'

/**
 * Counters of single values (src/limits/each), decided here; nothing of them is leased. Each is a scope list, of which the
 * sums count: `leased` is what running calls hold, `in_flight` how many there are, `changes` 1 once the log's sums are in
 * it, `recalled_until` when it was last used. All belong to one ledger: another one begins with what the log says.
 *
 * `each-calls` of a node: what its running calls hold; `each-left`: those of nodes that are gone, whose ends are read from
 * the log; `each-base`: how far the log must have come with each node's spool before its sums are complete; `each-at` of a
 * counter: the same for the calls that have ended in it.
 */
export const EACH_PART = `
local WEEK_MS = 604800000

local function ledger_generation() return redis.call('HGET', KEYS[1], 'generation') end
local function each_key(kind, generation, name) return ROOT .. 'each-' .. kind .. ':' .. generation .. ':' .. name end

local function load_each(generation, name, now)
  local packed = redis.call('GET', each_key('counter', generation, name))
  local scope
  if packed then
    scope = cmsgpack.unpack(packed)
  else
    scope = {}
    for place = SCOPE.day_ends, SCOPE.idle_rest do scope[place] = 0 end
  end
  if now >= scope.day_ends then begin_periods(scope, now) end
  return scope
end

local function save_each(scope, generation, name, now)
  scope.recalled_until = now
  redis.call('SET', each_key('counter', generation, name), cmsgpack.pack(scope), 'PX', WEEK_MS)
end

local function hold_each(generation, names, dollars, rest, calls, now)
  for _, name in ipairs(names) do
    local scope = load_each(generation, name, now)
    add(scope, SCOPE.leased, dollars, rest)
    scope.in_flight = scope.in_flight + calls
    save_each(scope, generation, name, now)
  end
end

-- A cost counts in the periods of the moment of admission, as far as they are present.
local function spend_each(generation, names, at, dollars, rest, now)
  for _, name in ipairs(names) do
    local scope = load_each(generation, name, now)
    for period = 1, PERIODS do
      if at >= scope[began_place(period)] then add(scope, spent_place(period), dollars, rest) end
    end
    save_each(scope, generation, name, now)
  end
end

-- What it held is free again. False: it held nothing.
local function free_each(generation, key, id, now)
  local packed = redis.call('HGET', key, id)
  if not packed then return false end
  local held = cmsgpack.unpack(packed)
  redis.call('HDEL', key, id)
  hold_each(generation, held[1], -held[2], -held[3], -1, now)
  return held
end

-- The node is gone: the ends of its calls are read from the log, once that has come so far.
local function leave_each(generation, node, position)
  local calls = each_key('calls', generation, node)
  local flat = redis.call('HGETALL', calls)
  for index = 1, #flat, 2 do
    local held = cmsgpack.unpack(flat[index + 1])
    held[4], held[5] = node, position
    redis.call('HSET', each_key('left', generation, ''), flat[index], cmsgpack.pack(held))
  end
  redis.call('DEL', calls)
end
`

/**
 * A process begins to count, with the calls that it is running. `position`: the newest record of its spool: what came
 * before is known from the log alone. Calls that another process of this node has left behind are left.
 */
export const EACH_JOIN = defineScript(
  {
    name: 'each-join',
    takes: ['clock', 'generation', 'node', 'owner', 'position', 'running_text'],
    answers: ['is_joined'],
    uses: [SCOPES_PART, EACH_PART],
  },
  `
if ledger_generation() ~= generation then return { 0 } end
local now, key = time_by(clock), each_key('calls', generation, node)
local owners = each_key('owner', generation, '')
if redis.call('HGET', owners, node) ~= owner then leave_each(generation, node, tonumber(position)) end
redis.call('HSET', owners, node, owner)
redis.call('HDEL', each_key('number', generation, ''), node)
redis.call('HSET', each_key('base', generation, ''), node, position)
for _, call in ipairs(cjson.decode(running_text)) do
  local id, names, dollars, rest = unpack(call)
  if redis.call('HSETNX', key, id, cmsgpack.pack({ names, dollars, rest })) == 1 then
    hold_each(generation, names, dollars, rest, 1, now)
  end
end
for _, kind in ipairs({ 'owner', 'base', 'left' }) do redis.call('PEXPIRE', each_key(kind, generation, ''), WEEK_MS) end
return { 1 }
`,
)

/**
 * Asks for a call, or, with `is_more` 1, for more of a running one; without an `id` only looks. `budgets`: name, period, whether hard, limit and the part
 * from which it warns. `kind`: held, refused, unseeded (with names), waiting (for nodes), or none (another ledger).
 * `views`: for each budget what is spent and held, whether it has no room, and whether it warns.
 */
export const EACH_HOLD = defineScript(
  {
    name: 'each-hold',
    takes: ['clock', 'generation', 'node', 'id', 'money', 'money_rest', 'budgets_text', 'is_more'],
    answers: ['kind', 'views'],
    uses: [SCOPES_PART, EACH_PART],
  },
  `
if ledger_generation() ~= generation then return { 'none', {} } end
local now, key = time_by(clock), each_key('calls', generation, node)
local base = each_key('base', generation, '')
for _, other in ipairs(redis.call('SMEMBERS', ROOT .. 'nodes')) do
  if redis.call('HEXISTS', base, other) == 0 then return { 'waiting', {} } end
end
local dollars, rest = tonumber(money), tonumber(money_rest)
local budgets, scopes, names, unseeded = cjson.decode(budgets_text), {}, {}, {}
for _, budget in ipairs(budgets) do
  local name = budget[1]
  if not scopes[name] then
    local scope = load_each(generation, name, now)
    if scope.changes == 0 then unseeded[#unseeded + 1] = name end
    scopes[name], names[#names + 1] = scope, name
  end
end
if #unseeded > 0 then return { 'unseeded', unseeded } end

-- Whether a sum is above: as amounts of dollars and a rest.
local function is_above(a, a_rest, b, b_rest)
  local carry = math.floor(a_rest / REST)
  a, a_rest = a + carry, a_rest - carry * REST
  return a > b or (a == b and a_rest > b_rest)
end

local views, refuses = {}, false
for place, budget in ipairs(budgets) do
  local name, period, is_hard, limit, limit_rest, warn, warn_rest = unpack(budget)
  local scope = scopes[name]
  local spent = spent_place(period)
  local used, used_rest = scope[spent] + scope.leased, scope[spent + 1] + scope.leased_rest
  local more, more_rest = dollars, rest
  if dollars < 0 then more, more_rest = 0, 1 end
  local is_over = is_above(used + more, used_rest + more_rest, limit, limit_rest)
  local is_full = is_hard == 1 and (dollars < 0 or (is_over and (dollars > 0 or rest > 0)))
  local warns = (is_hard == 0 and is_over) or (warn >= 0 and not is_above(warn, warn_rest, used + math.floor(used_rest / REST), used_rest % REST))
  refuses = refuses or is_full
  views[place] = { scope[spent], scope[spent + 1], scope.leased, scope.leased_rest, is_full and 1 or 0, warns and 1 or 0 }
end
if refuses then return { 'refused', views } end
if id == '' then return { 'held', views } end
if dollars < 0 then dollars, rest = 0, 0 end
local held = { names, dollars, rest }
if is_more == '1' then
  local packed = redis.call('HGET', key, id)
  if not packed then return { 'none', {} } end
  held = cmsgpack.unpack(packed)
  add(held, 2, dollars, rest)
end
redis.call('HSET', key, id, cmsgpack.pack(held))
redis.call('PEXPIRE', key, WEEK_MS)
hold_each(generation, names, dollars, rest, is_more == '1' and 0 or 1, now)
return { 'held', views }
`,
)

/** What the log says of counters that have just come to be. `is_done`: 0 when the log had not come far enough. */
export const EACH_SEED = defineScript(
  {
    name: 'each-seed',
    takes: ['clock', 'generation', 'values_text', 'positions_text'],
    answers: ['is_done'],
    uses: [SCOPES_PART, EACH_PART],
  },
  `
if ledger_generation() ~= generation then return { 0 } end
local now, positions = time_by(clock), cjson.decode(positions_text)
local flat = redis.call('HGETALL', each_key('base', generation, ''))
for index = 1, #flat, 2 do
  if (positions[flat[index]] or 0) < tonumber(flat[index + 1]) then return { 0 } end
end
local left, nodes = each_key('left', generation, ''), redis.call('SMEMBERS', ROOT .. 'nodes')

local function is_held(id)
  for _, node in ipairs(nodes) do
    if redis.call('HEXISTS', each_key('calls', generation, node), id) == 1 then return true end
  end
  return false
end

for _, value in ipairs(cjson.decode(values_text)) do
  local name, spent, open = value[1], value[2], value[3]
  local scope = load_each(generation, name, now)
  if scope.changes == 0 then
    for place = 0, 2 * PERIODS - 1 do scope[SCOPE.day_spent + place] = spent[place + 1] end
    scope.changes = 1
    save_each(scope, generation, name, now)
    for _, call in ipairs(open) do
      local id, dollars, rest = unpack(call)
      if not is_held(id) then
        local packed = redis.call('HGET', left, id)
        local held = packed and cmsgpack.unpack(packed) or { {}, dollars, rest, '', 0 }
        local is_known = false
        for _, each in ipairs(held[1]) do is_known = is_known or each == name end
        if not is_known then
          held[1][#held[1] + 1] = name
          redis.call('HSET', left, id, cmsgpack.pack(held))
          hold_each(generation, { name }, held[2], held[3], 1, now)
        end
      end
    end
  end
end
return { 1 }
`,
)
