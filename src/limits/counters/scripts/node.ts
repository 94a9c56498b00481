import { defineScript } from '../script.ts'
import { EACH_PART } from './each.ts'
import { LEASES_PART } from './lease.ts'
import { SCOPES_PART } from './scope.ts'

/**
 * A process becomes the node. An earlier process's leases stay until the first message reports what that one had spent.
 * `process` is unique: a message from before it joined must not count as a current one. `is_joined`: 0 without a
 * ledger. `position`: up to here the node's spool is reported; `leased`: in how many scopes it has leases.
 */
export const JOIN = defineScript(
  {
    name: 'join',
    takes: ['clock', 'node', 'process'],
    answers: ['is_joined', 'at', 'generation', 'sequence', 'position', 'leased'],
    uses: [SCOPES_PART],
  },
  `
local generation, sequence = unpack(redis.call('HMGET', KEYS[1], 'generation', 'sequence'))
local now = time_by(clock)
answer.is_joined, answer.at = 0, told_time(now)
if not generation then return answer end
local record = ROOT .. 'node:' .. node
local position = redis.call('HGET', record, 'position') or '0'
redis.call('HSET', record, 'process', process, 'number', 0, 'position', position)
redis.call('HDEL', record, 'outcomes')
redis.call('SADD', ROOT .. 'nodes', node)
redis.call('ZADD', ROOT .. 'alive', now, node)
answer.is_joined, answer.generation, answer.sequence = 1, tonumber(generation), tonumber(sequence)
answer.position, answer.leased = tonumber(position), redis.call('SCARD', ROOT .. 'leased:' .. node)
return answer
`,
)

/** State of the ledger; generation 0: there is none. */
export const LOOK = defineScript(
  { name: 'look', answers: ['at', 'generation', 'sequence'], uses: [SCOPES_PART] },
  `
local generation, sequence = unpack(redis.call('HMGET', KEYS[1], 'generation', 'sequence'))
answer.at, answer.generation, answer.sequence = told_time(time_by('')), tonumber(generation or '0'), tonumber(sequence or '0')
return answer
`,
)

/**
 * A node leaves after its final report, with no call running. Or other nodes release it: then it must have been silent
 * for `silent_ms`, and the log has its ends up to `logged`. `kind`: `left`, `heard`, or `unreported` when the log has
 * something that was not reported to the counters. `whole`: up to here the log has beginnings as well, and no more will come; '' if
 * it is not known.
 */
export const LEAVE = defineScript(
  {
    name: 'leave',
    takes: ['clock', 'node', 'silent_ms', 'logged', 'whole'],
    answers: ['kind'],
    uses: [SCOPES_PART, LEASES_PART, EACH_PART],
  },
  `
local now = time_by(clock)
if silent_ms ~= '' then
  if is_alive(node, now, tonumber(silent_ms)) then return { 'heard' } end
  local position = redis.call('HGET', ROOT .. 'node:' .. node, 'position') or '0'
  if tonumber(position) < tonumber(logged) then return { 'unreported' } end
end
drop_leases(node, now, false)
local generation = ledger_generation()
if generation then
  leave_each(generation, node, tonumber(whole) or 0)
  if logged ~= '' then redis.call('HDEL', each_key('base', generation, ''), node) end
end
redis.call('ZREM', ROOT .. 'alive', node)
redis.call('SREM', ROOT .. 'nodes', node)
redis.call('SREM', ROOT .. 'awaited', node)
redis.call('DEL', ROOT .. 'recalled:' .. node, ROOT .. 'beyond:' .. node)
-- If it still runs, it has to join again.
redis.call('HDEL', ROOT .. 'node:' .. node, 'process')
redis.call('HINCRBY', KEYS[1], 'sequence', 1)
return { 'left' }
`,
)

/** Nodes without a message for this many milliseconds. */
export const FIND_SILENT = defineScript(
  { name: 'find-silent', takes: ['clock', 'silent_ms'], answers: ['nodes'], uses: [SCOPES_PART] },
  `
local now, found = time_by(clock), {}
for _, node in ipairs(redis.call('SMEMBERS', ROOT .. 'nodes')) do
  local heard = redis.call('ZSCORE', ROOT .. 'alive', node)
  -- Last heard in the future: the clock was set back.
  if heard and tonumber(heard) > now then redis.call('ZADD', ROOT .. 'alive', now, node) end
  if not heard or tonumber(heard) < now - tonumber(silent_ms) then found[#found + 1] = node end
end
return { found }
`,
)

/**
 * A node is dead: its calls have ended, and its share of the minute is free. Its money stays leased until its spool
 * shows what it has spent; a node that has not reported since a rebuild is still waited for.
 */
export const MARK_DEAD = defineScript(
  { name: 'mark-dead', takes: ['clock', 'node', 'silent_ms'], answers: [], uses: [SCOPES_PART, LEASES_PART] },
  `
local now = time_by(clock)
if is_alive(node, now, tonumber(silent_ms)) then return {} end
redis.call('ZREM', ROOT .. 'alive', node)
local number = redis.call('HGET', ROOT .. 'node:' .. node, 'number') or '0'
if tonumber(number) > 0 then redis.call('SREM', ROOT .. 'awaited', node) end
drop_leases(node, now, true)
redis.call('HINCRBY', KEYS[1], 'sequence', 1)
return {}
`,
)

/** What each node has leased. */
export const LEASED = defineScript(
  { name: 'leased', answers: ['nodes'], uses: [SCOPES_PART, LEASES_PART] },
  `
local found = {}
for _, node in ipairs(redis.call('SMEMBERS', ROOT .. 'nodes')) do
  local leased_node, scopes = {}, {}
  for _, name in ipairs(redis.call('SMEMBERS', ROOT .. 'leased:' .. node)) do
    local lease, leased_scope = lease_of(name, node), {}
    leased_scope.name, leased_scope.money, leased_scope.money_rest = name, lease.money, lease.money_rest
    scopes[#scopes + 1] = leased_scope
  end
  leased_node.node, leased_node.scopes = node, scopes
  found[#found + 1] = leased_node
end
return { found }
`,
)
