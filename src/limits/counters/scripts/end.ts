import { defineScript } from '../script.ts'
import { ENTRY } from './entry.ts'
import { SCOPE } from './scope.ts'

/**
 * The end of a call: settled with what it used, or released. Idempotent.
 * ARGV: clock, node, id, generation that admitted it (0: allowed unchecked), position of its end in the node's spool,
 * "1" if answered after booking, "1" if released, dollars, rest, tokens, key, workspace, time.
 * Returns 0 without a ledger, 1 when booked, 2 when it was given up as interrupted and must not be answered, 3 when
 * only the log can tell which; and the sequence.
 */
export const END = defineScript(
  'end',
  SCOPE,
  ENTRY,
  `
local generation = redis.call('HGET', KEYS[1], 'generation')
if not generation then return { 0 } end
local now = clock(ARGV[1])
local dollars, rest, tokens = tonumber(ARGV[8]), tonumber(ARGV[9]), tonumber(ARGV[10])
local released = ARGV[7] == '1'
local holds = ROOT .. 'holds:' .. ARGV[2]
local packed = redis.call('HGET', holds, ARGV[3])

if packed then
  local entry = cmsgpack.unpack(packed)
  if entry[1] ~= HELD and ARGV[6] == '1' and not released then return { 2 } end
  finish(entry, now, dollars, rest, tokens, released)
  redis.call('HDEL', holds, ARGV[3])
  if ARGV[4] ~= generation then mark_charged(generation, ARGV[3]) end
  return { 1, redis.call('HINCRBY', KEYS[1], 'sequence', 1) }
end

-- No hold: it has been booked before, unless this ledger never knew of the call.
if released or ARGV[4] == generation then return { 1 } end
local read = tonumber(redis.call('HGET', ROOT .. 'positions', ARGV[2]) or '0')
local was_read = tonumber(ARGV[5]) <= read
if ARGV[6] == '1' then
  -- What the ledger was rebuilt from had its end, or had given it up. A later end had a hold, unless it was given up.
  if was_read then return { 3 } end
  return { redis.call('EXISTS', charged_key(generation, ARGV[3])) == 1 and 1 or 2 }
end
-- The sums have it.
if was_read then return { 1 } end
if not mark_charged(generation, ARGV[3]) then return { 1 } end
local at = tonumber(ARGV[13])
local entry = { REAPED, ARGV[11], ARGV[12], at, 0, 0, 0 }
finish(entry, now, dollars, rest, tokens, false)
local second = math.floor(at / 1000)
if second > math.floor(now / 1000) - WINDOW then
  for _, name in ipairs({ 'key:' .. ARGV[11], 'workspace:' .. ARGV[12] }) do
    local scope = load(name, now)
    count(scope, name, second, 1, 0)
    save(scope, name)
  end
end
return { 1, redis.call('HINCRBY', KEYS[1], 'sequence', 1) }
`,
)
