import { defineScript } from '../script.ts'
import { EACH_PART } from './each.ts'
import { SCOPES_PART } from './scope.ts'

/** Ends of calls, in the order of their numbers: a message that has come before changes nothing. `is_ours`: 0 in another ledger. */
export const EACH_END = defineScript(
  {
    name: 'each-end',
    takes: ['clock', 'generation', 'node', 'number', 'ends_text'],
    answers: ['is_ours'],
    uses: [SCOPES_PART, EACH_PART],
  },
  `
if ledger_generation() ~= generation then return { 0 } end
local now, numbers = time_by(clock), each_key('number', generation, '')
if tonumber(redis.call('HGET', numbers, node) or '0') >= tonumber(number) then return { 1 } end
redis.call('HSET', numbers, node, number)
redis.call('PEXPIRE', numbers, WEEK_MS)
for _, call in ipairs(cjson.decode(ends_text)) do
  local id, names, at, dollars, rest, position = unpack(call)
  if not free_each(generation, each_key('calls', generation, node), id, now) then
    free_each(generation, each_key('left', generation, ''), id, now)
  end
  if dollars > 0 or rest > 0 then spend_each(generation, names, at, dollars, rest, now) end
  if position > 0 then
    for _, name in ipairs(names) do
      local key = each_key('at', generation, name)
      redis.call('HSET', key, node, position)
      redis.call('PEXPIRE', key, WEEK_MS)
    end
  end
end
return { 1 }
`,
)

/** Calls of nodes that are gone: id, node and how far the log must have come with it. */
export const EACH_LEFT = defineScript(
  { name: 'each-left', takes: ['generation'], answers: ['calls'], uses: [SCOPES_PART, EACH_PART] },
  `
local found = {}
local flat = redis.call('HGETALL', each_key('left', generation, ''))
for index = 1, math.min(#flat, 1000), 2 do
  local held = cmsgpack.unpack(flat[index + 1])
  found[#found + 1] = { flat[index], held[4], held[5] }
end
return { found }
`,
)

/** One of them has ended, as its row says. */
export const EACH_FREE = defineScript(
  {
    name: 'each-free',
    takes: ['clock', 'generation', 'id', 'at', 'money', 'money_rest'],
    answers: ['is_freed'],
    uses: [SCOPES_PART, EACH_PART],
  },
  `
if ledger_generation() ~= generation then return { 0 } end
local now = time_by(clock)
local held = free_each(generation, each_key('left', generation, ''), id, now)
if not held then return { 0 } end
spend_each(generation, held[1], tonumber(at), tonumber(money), tonumber(money_rest), now)
return { 1 }
`,
)

/** Drops counters that no call holds, that were idle for so long and of which the log has everything. Answers with their names. */
export const EACH_DROP = defineScript(
  {
    name: 'each-drop',
    takes: ['clock', 'generation', 'idle_ms', 'names_text', 'positions_text'],
    answers: ['names'],
    uses: [SCOPES_PART, EACH_PART],
  },
  `
if ledger_generation() ~= generation then return { {} } end
local now, positions, dropped = time_by(clock), cjson.decode(positions_text), {}
for _, name in ipairs(cjson.decode(names_text)) do
  local scope = load_each(generation, name, now)
  local is_idle = scope.in_flight == 0 and scope.recalled_until <= now - tonumber(idle_ms)
  local flat = redis.call('HGETALL', each_key('at', generation, name))
  for index = 1, #flat, 2 do
    if (positions[flat[index]] or 0) < tonumber(flat[index + 1]) then is_idle = false end
  end
  if is_idle then
    redis.call('DEL', each_key('counter', generation, name), each_key('at', generation, name))
    dropped[#dropped + 1] = name
  end
end
return { dropped }
`,
)
