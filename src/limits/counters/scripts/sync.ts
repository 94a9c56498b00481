import { defineScript } from '../script.ts'
import { JUDGE } from './judge.ts'
import { LEASE } from './lease.ts'
import { SCOPE } from './scope.ts'

/**
 * Everything that a node and the counters have to tell each other, in one step: what the node has spent, what it keeps
 * of its leases, what it wants, and the calls that wait for a decision.
 *
 * ARGV: clock, node, its process, number of the message (they count up from 1; one that was taken before changes
 * nothing and is answered by how things stand), position in the node's spool up to which everything is reported, "1" in
 * the first message of a process (what an earlier process leased is given back), and as JSON:
 *   f: 1 when everything up to the position is reported, 0 when only a part of what comes after it is;
 *   s: scopes, each [name, limits, kept dollars, rest, calls at a time, requests, tokens, calls in flight, 1 if some of
 *      it is idle, wanted dollars, rest, calls at a time, requests, tokens, a usual hold in dollars, rest and tokens,
 *      [time, dollars, rest of what was spent …], [second, requests, tokens …], idle dollars, rest,
 *      and of the calls that were counted when they were let in and have no row yet [second, requests, tokens …]];
 *   c: waiting calls, each [place of its key in s, of its workspace, dollars (-1 unknown), rest, tokens (-1 unknown)];
 *   b: calls to book by id, each [id, place of key, of workspace, time, dollars, rest].
 * The hash `ahead:NODE` has what was counted in the minute beyond the position: the node's next process
 * reports it again, from the spool.
 * Limits: '' none, else seven numbers: rpm, tpm, parallel calls, period, hard, dollars and rest; 0 is none.
 *
 * Returns 0 without a ledger, 2 when the process has to join first, 3 when the server has lost messages; else 1, the time, generation, sequence, the node's
 * leases and the state of each scope, the outcome of each call (1 admitted; 2 refused, with a view of both scopes; 3 ask
 * again: others have been told to give back what is idle), and scopes that others wait for.
 */
export const SYNC = defineScript(
  'sync',
  SCOPE,
  LEASE,
  JUDGE,
  `
local generation = redis.call('HGET', KEYS[1], 'generation')
if not generation then return { 0 } end
local node, number, is_first = ARGV[2], tonumber(ARGV[4]), ARGV[6] == '1'
local record = ROOT .. 'node:' .. node
local known = redis.call('HMGET', record, 'process', 'number')
if known[1] ~= ARGV[3] then return { 2 } end
local is_new = number == tonumber(known[2]) + 1
if not is_new and number ~= tonumber(known[2]) then return { 3 } end
local now = clock(ARGV[1])
local message = cjson.decode(ARGV[7])
redis.call('ZADD', ROOT .. 'alive', now, node)
local nodes = math.max(1, redis.call('ZCOUNT', ROOT .. 'alive', now - SILENT, '+inf'))
local ahead = ROOT .. 'ahead:' .. node
if is_new and is_first then
  drop_leases(node, now, false)
  local edge, flat = math.floor(now / 1000) - WINDOW, redis.call('HGETALL', ahead)
  for index = 1, #flat, 2 do
    local name, seconds = flat[index], cmsgpack.unpack(flat[index + 1])
    local scope = load(name, now)
    for at = 1, #seconds, 3 do
      if seconds[at] > edge then count(scope, name, now, seconds[at], -seconds[at + 1], -seconds[at + 2]) end
    end
    save(scope, name)
  end
end
-- A node of an earlier version does not say what its messages are.
if is_new and (is_first or message.f == 1) then redis.call('DEL', ahead) end

-- These seconds lie beyond the position.
local function note_ahead(name, seconds)
  if message.f == nil or #seconds == 0 then return end
  local packed = redis.call('HGET', ahead, name)
  local all = packed and cmsgpack.unpack(packed) or {}
  for _, value in ipairs(seconds) do all[#all + 1] = value end
  redis.call('HSET', ahead, name, cmsgpack.pack(all))
end

-- After a rebuild, or a restart of the server, nothing is decided until every node has told what it holds.
local is_complete = redis.call('EXISTS', ROOT .. 'awaited') == 0
if not is_complete then
  redis.call('SREM', ROOT .. 'awaited', node)
  is_complete = redis.call('EXISTS', ROOT .. 'awaited') == 0
end

local names, scopes, leases, stored, limits = {}, {}, {}, {}, {}
for place, told in ipairs(message.s) do
  local name = told[1]
  names[place], scopes[place], limits[place] = name, load(name, now, not is_new), limits_of(told[2])
  stored[place] = lease_of(name, node)
  leases[place] = stored[place]
end

local function report(place, told)
  local scope, name = scopes[place], names[place]
  local edge = math.floor(now / 1000) - WINDOW
  local spent, seconds = told[18], told[19]
  for index = 1, #spent, 3 do spend(scope, now, spent[index], spent[index + 1], spent[index + 2]) end
  for index = 1, #seconds, 3 do
    if seconds[index] > edge then count(scope, name, now, seconds[index], seconds[index + 1], seconds[index + 2]) end
  end
  if message.f == 0 then note_ahead(name, seconds) end
  if message.f == 1 then note_ahead(name, told[22]) end
  local kept = { told[3], told[4], told[5], told[6], told[7], told[8], told[9], told[20], told[21] }
  move_lease(scope, leases[place], kept)
  leases[place] = kept
  scope[20] = scope[20] + 1
end

-- Whoever may have something idle of this scope is told to give it back, the node that asks too. True: there is somebody.
local function call_back(place)
  local name, found = names[place], leases[place][7] == 1
  if found then redis.call('SADD', ROOT .. 'recalled:' .. node, name) end
  local flat = redis.call('HGETALL', ROOT .. 'leases:' .. name)
  for index = 1, #flat, 2 do
    local other = flat[index]
    if other ~= node and cmsgpack.unpack(flat[index + 1])[7] == 1 then
      local heard = redis.call('ZSCORE', ROOT .. 'alive', other)
      if heard and tonumber(heard) >= now - SILENT then
        redis.call('SADD', ROOT .. 'recalled:' .. other, name)
        found = true
      end
    end
  end
  if found then scopes[place][25] = now + 200 end
  return found
end

local function lease_more(place, dollars, rest, calls, requests, tokens, in_flight, is_idle)
  local before = leases[place]
  local after = { unpack(before) }
  add(after, 1, dollars, rest)
  if is_idle then
    after[7] = 1
    add(after, 8, dollars, rest)
  end
  after[3], after[4], after[5], after[6] = before[3] + calls, before[4] + requests, before[5] + tokens, before[6] + in_flight
  move_lease(scopes[place], before, after)
  leases[place] = after
end

local function decide(call)
  local dollars, rest, tokens = call[3], call[4], call[5]
  local views, refuses, is_refused = { 0, 0 }, {}, false
  for side = 1, 2 do
    local place = call[side]
    if limits[place] then
      views[side], refuses[side] = judge(scopes[place], names[place], limits[place], dollars, rest, tokens, now)
      is_refused = is_refused or refuses[side]
    end
  end
  if not is_complete then return { 3 } end
  if is_refused then
    local may_change = false
    for side = 1, 2 do
      if refuses[side] and call_back(call[side]) then may_change = true end
    end
    if may_change then return { 3 } end
    return { 2, views[1], views[2] }
  end
  for side = 1, 2 do
    local place = call[side]
    lease_more(place, math.max(dollars, 0), dollars < 0 and 0 or rest, 1, 0, 0, 1)
    local counted = { math.floor(now / 1000), 1, math.max(tokens, 0) }
    count(scopes[place], names[place], now, unpack(counted))
    note_ahead(names[place], counted)
    scopes[place][20] = scopes[place][20] + 1
  end
  return { 1, views[1], views[2] }
end

-- How much of this a node gets to use without asking; nothing once that would be less than two usual calls.
local function slice(wanted, left, usual)
  if wanted <= 0 or left < 8 * nodes * usual then return 0 end
  return math.min(wanted, math.floor(left / (4 * nodes)))
end

local function grant(place, told)
  local scope, limit = scopes[place], limits[place]
  if not limit or not is_complete or scope[25] > now then return end
  local dollars, rest = 0, 0
  if limit.period > 0 and limit.hard and (told[10] > 0 or told[11] > 0) then
    local left, part = money_left(scope, limit)
    local share = (left + part / REST) / (4 * nodes)
    if share >= 2 * (told[15] + told[16] / REST) and share > 0 then
      local whole = math.floor(share)
      local pico = math.floor((share - whole) * REST)
      if whole > told[10] or (whole == told[10] and pico > told[11]) then whole, pico = told[10], told[11] end
      dollars, rest = whole, pico
    end
  end
  local calls = limit.parallel > 0 and slice(told[12], limit.parallel - scope[16], 1) or 0
  local requests = limit.rpm > 0 and slice(told[13], limit.rpm - scope[21] - scope[17], 1) or 0
  local tokens = limit.tpm > 0 and slice(told[14], limit.tpm - scope[22] - scope[18], math.max(1, told[17])) or 0
  if dollars + rest + calls + requests + tokens == 0 then return end
  lease_more(place, dollars, rest, calls, requests, tokens, 0, true)
end

local outcomes = {}
if is_new then
  for place, told in ipairs(message.s) do report(place, told) end
  for _, call in ipairs(message.b) do
    if mark_booked(generation, call[1]) then
      for side = 2, 3 do spend(scopes[call[side]], now, call[4], call[5], call[6]) end
    end
  end
  for index, call in ipairs(message.c) do outcomes[index] = decide(call) end
  for place, told in ipairs(message.s) do grant(place, told) end
  for place, name in ipairs(names) do
    save(scopes[place], name)
    write_lease(name, node, stored[place], leases[place])
  end
  redis.call('HSET', record, 'number', number, 'position', ARGV[5])
  -- An answer that gets lost is asked for again, and only the calls are told apart by it.
  if #outcomes > 0 then redis.call('HSET', record, 'outcomes', cmsgpack.pack(outcomes)) end
elseif #message.c > 0 then
  outcomes = cmsgpack.unpack(redis.call('HGET', record, 'outcomes') or cmsgpack.pack({}))
end

local states = {}
for place, scope in ipairs(scopes) do
  local lease, limit = leases[place], limits[place]
  local period = limit and limit.period > 0 and limit.period or 4
  states[place] = {
    lease[1], lease[2], lease[3], lease[4], lease[5], scope[4 + 2 * period], scope[5 + 2 * period], scope[14], scope[15],
    scope[21], scope[22], scope[24], lease[8], lease[9], scope[26], scope[27],
  }
end
local recalled = redis.call('SMEMBERS', ROOT .. 'recalled:' .. node)
if #recalled > 0 then redis.call('DEL', ROOT .. 'recalled:' .. node) end
local sequence = redis.call('HINCRBY', KEYS[1], 'sequence', 1)
return { 1, told_time(now), tonumber(generation), sequence, states, outcomes, recalled }
`,
)
