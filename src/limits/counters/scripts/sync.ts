import { defineScript } from '../script.ts'
import { JUDGE_PART } from './judge.ts'
import { LEASES_PART } from './lease.ts'
import { SCOPES_PART } from './scope.ts'

/**
 * One exchange between a node and the counters: what the node has spent, what it keeps of its leases, what it wants,
 * and the calls that wait for a decision.
 *
 * `number`: messages count up from 1; a repeated one changes nothing and is answered with the current state.
 * `position`: everything up to here in the node's spool is reported. `is_first`: "1" in the first message of a process,
 * which returns the leases of an earlier one. The hash `beyond:NODE` has what was counted in the minute beyond the
 * position: the node's next process reports it again, from the spool.
 *
 * `kind` of the answer: `taken`, with the node's leases and the state of each scope, the outcome of each call, and
 * scopes that others wait for; `no-ledger`; `unknown-process`, which has to join first; `behind`: the server has lost
 * messages.
 */
export const SYNC = defineScript(
  {
    name: 'sync',
    takes: ['clock', 'node', 'process', 'number_text', 'position', 'is_first', 'message_text'],
    answers: ['kind', 'at', 'generation', 'sequence', 'states', 'outcomes', 'recalled'],
    uses: [SCOPES_PART, LEASES_PART, JUDGE_PART],
  },
  `
local generation = redis.call('HGET', KEYS[1], 'generation')
if not generation then return { 'no-ledger' } end
local number = tonumber(number_text)
local record = ROOT .. 'node:' .. node
local known_process, known_number = unpack(redis.call('HMGET', record, 'process', 'number'))
if known_process ~= process then return { 'unknown-process' } end
local is_new = number == tonumber(known_number) + 1
if not is_new and number ~= tonumber(known_number) then return { 'behind' } end
local now = time_by(clock)
local message = cjson.decode(message_text)
redis.call('ZADD', ROOT .. 'alive', now, node)
local nodes = math.max(1, redis.call('ZCOUNT', ROOT .. 'alive', now - SILENT, '+inf'))
local beyond = ROOT .. 'beyond:' .. node
if is_new and is_first == '1' then
  drop_leases(node, now, false)
  local flat = redis.call('HGETALL', beyond)
  for index = 1, #flat, 2 do
    local name = flat[index]
    local scope = load(name, now)
    count_all(scope, name, now, cmsgpack.unpack(flat[index + 1]), -1)
    save(scope, name)
  end
end
if is_new and (is_first == '1' or message.is_full == 1) then redis.call('DEL', beyond) end

local function note_beyond(name, seconds)
  if #seconds == 0 then return end
  local packed = redis.call('HGET', beyond, name)
  local all = packed and cmsgpack.unpack(packed) or {}
  for _, each in ipairs(seconds) do all[#all + 1] = each end
  redis.call('HSET', beyond, name, cmsgpack.pack(all))
end

-- After a rebuild, or a restart of the server, nothing is decided until every node has reported what it holds.
local is_complete = redis.call('EXISTS', ROOT .. 'awaited') == 0
if not is_complete then
  redis.call('SREM', ROOT .. 'awaited', node)
  is_complete = redis.call('EXISTS', ROOT .. 'awaited') == 0
end

-- By the index of the scope's report in the message.
local names, scopes, leases, stored, limits_of = {}, {}, {}, {}, {}
for place, report in ipairs(message.reports) do
  local name = report.name
  names[place], scopes[place], limits_of[place] = name, load(name, now, not is_new), report.limits
  stored[place] = lease_of(name, node)
  leases[place] = stored[place]
end

local function take_report(place, report)
  local scope, name = scopes[place], names[place]
  for _, cost in ipairs(report.spent) do spend(scope, now, cost.at, cost.dollars, cost.rest) end
  count_all(scope, name, now, report.minute, 1)
  note_beyond(name, message.is_full == 1 and report.counted or report.minute)
  local lease = {}
  lease.money, lease.money_rest = report.kept, report.kept_rest
  lease.calls, lease.requests, lease.tokens = report.kept_calls, report.kept_requests, report.kept_tokens
  lease.in_flight, lease.has_idle = report.in_flight, report.has_idle
  lease.idle, lease.idle_rest = report.idle, report.idle_rest
  move_lease(scope, leases[place], lease)
  leases[place] = lease
  scope.changes = scope.changes + 1
end

-- Asks all nodes with idle leases of this scope, including the caller, to return them. Returns whether there are any.
local function call_back(place)
  local name, scope, lease = names[place], scopes[place], leases[place]
  local found = lease.has_idle == 1
  if found then redis.call('SADD', ROOT .. 'recalled:' .. node, name) end
  local flat = redis.call('HGETALL', ROOT .. 'leases:' .. name)
  for index = 1, #flat, 2 do
    local other = flat[index]
    lease = cmsgpack.unpack(flat[index + 1])
    if other ~= node and lease.has_idle == 1 and is_alive(other, now, SILENT) then
      redis.call('SADD', ROOT .. 'recalled:' .. other, name)
      found = true
    end
  end
  if found then scope.recalled_until = now + 200 end
  return found
end

local function set_lease(place, lease)
  move_lease(scopes[place], leases[place], lease)
  leases[place] = lease
end

-- An admitted call is in flight from now; one that holds more is so already.
local function admit(place, call)
  local name, scope, lease = names[place], scopes[place], { unpack(leases[place]) }
  if call.money >= 0 then add(lease, LEASE.money, call.money, call.money_rest) end
  lease.calls, lease.in_flight = lease.calls + call.requests, lease.in_flight + call.requests
  set_lease(place, lease)
  scope.changes = scope.changes + 1
  if call.requests == 0 then return end
  local second = {}
  second.at, second.requests, second.tokens = math.floor(now / 1000), 1, math.max(call.tokens, 0)
  count_all(scope, name, now, { second }, 1)
  note_beyond(name, { second })
end

local function decide(call)
  local outcome, refused_by = {}, {}
  outcome.key, outcome.workspace = 0, 0
  for _, side in ipairs({ OUTCOME.key, OUTCOME.workspace }) do
    local place = side == OUTCOME.key and call.key or call.workspace
    if limits_of[place] then
      local view, refuses = judge(scopes[place], names[place], limits_of[place], call, now)
      outcome[side] = view
      if refuses then refused_by[#refused_by + 1] = place end
    end
  end
  if not is_complete then return { 'ask-again' } end
  if #refused_by > 0 then
    local may_change = false
    for _, place in ipairs(refused_by) do may_change = call_back(place) or may_change end
    if may_change then return { 'ask-again' } end
    outcome.kind = 'refused'
    return outcome
  end
  admit(call.key, call)
  admit(call.workspace, call)
  outcome.kind = 'admitted'
  return outcome
end

-- How much of this a node may use without asking; nothing if that would cover less than two typical calls.
local function slice(wanted, left, usual)
  if wanted <= 0 or left < 8 * nodes * usual then return 0 end
  return math.min(wanted, math.floor(left / (4 * nodes)))
end

local function slice_of_money(scope, limit, report)
  if limit.period == 0 or limit.is_hard == 0 then return 0, 0 end
  local left, part = money_left(scope, limit)
  local share = (left + part / REST) / (4 * nodes)
  if share <= 0 or share < 2 * (report.usual + report.usual_rest / REST) then return 0, 0 end
  local dollars = math.floor(share)
  local rest = math.floor((share - dollars) * REST)
  if dollars > report.wanted or (dollars == report.wanted and rest > report.wanted_rest) then
    return report.wanted, report.wanted_rest
  end
  return dollars, rest
end

local function grant(place, report)
  local scope, limit = scopes[place], limits_of[place]
  if not limit or not is_complete or scope.recalled_until > now then return end
  local lease = { unpack(leases[place]) }
  local dollars, rest = slice_of_money(scope, limit, report)
  local calls = limit.parallel > 0 and slice(report.wanted_calls, limit.parallel - scope.leased_calls, 1) or 0
  local requests = limit.rpm > 0
    and slice(report.wanted_requests, limit.rpm - scope.requests - scope.leased_requests, 1) or 0
  local tokens = limit.tpm > 0
    and slice(report.wanted_tokens, limit.tpm - scope.tokens - scope.leased_tokens, math.max(1, report.usual_tokens)) or 0
  if dollars + rest + calls + requests + tokens == 0 then return end
  add(lease, LEASE.money, dollars, rest)
  add(lease, LEASE.idle, dollars, rest)
  lease.calls, lease.requests, lease.tokens = lease.calls + calls, lease.requests + requests, lease.tokens + tokens
  lease.has_idle = 1
  set_lease(place, lease)
end

local outcomes = {}
if is_new then
  for place, report in ipairs(message.reports) do take_report(place, report) end
  for _, left in ipairs(message.left) do
    if mark_booked(generation, left.id) then
      spend(scopes[left.key], now, left.at, left.cost, left.cost_rest)
      spend(scopes[left.workspace], now, left.at, left.cost, left.cost_rest)
    end
  end
  for index, call in ipairs(message.calls) do outcomes[index] = decide(call) end
  for place, report in ipairs(message.reports) do grant(place, report) end
  for place, name in ipairs(names) do
    save(scopes[place], name)
    write_lease(name, node, stored[place], leases[place])
  end
  redis.call('HSET', record, 'number', number, 'position', position)
  -- Kept for a retry after a lost answer: a call must not be decided twice.
  if #outcomes > 0 then redis.call('HSET', record, 'outcomes', cmsgpack.pack(outcomes)) end
elseif #message.calls > 0 then
  outcomes = cmsgpack.unpack(redis.call('HGET', record, 'outcomes') or cmsgpack.pack({}))
end

local states = {}
for place, scope in ipairs(scopes) do
  local lease, limit, state = leases[place], limits_of[place], {}
  local spent = spent_place(limit and limit.period > 0 and limit.period or PERIODS)
  state.money, state.money_rest = lease.money, lease.money_rest
  state.calls, state.requests, state.tokens = lease.calls, lease.requests, lease.tokens
  state.idle, state.idle_rest = lease.idle, lease.idle_rest
  state.spent, state.spent_rest = scope[spent], scope[spent + 1]
  state.leased, state.leased_rest = scope.leased, scope.leased_rest
  state.all_idle, state.all_idle_rest = scope.idle, scope.idle_rest
  state.minute_requests, state.minute_tokens = scope.requests, scope.tokens
  state.newest_second = scope.newest_second
  states[place] = state
end
local recalled = redis.call('SMEMBERS', ROOT .. 'recalled:' .. node)
if #recalled > 0 then redis.call('DEL', ROOT .. 'recalled:' .. node) end
answer.kind, answer.at, answer.generation = 'taken', told_time(now), tonumber(generation)
answer.sequence = redis.call('HINCRBY', KEYS[1], 'sequence', 1)
answer.states, answer.outcomes, answer.recalled = states, outcomes, recalled
return answer
`,
)
