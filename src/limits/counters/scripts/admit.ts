import { defineScript } from '../script.ts'
import { SCOPE } from './scope.ts'

/**
 * One decision over both scopes of a call; src/limits/admission.ts does the same in memory.
 * ARGV: clock, node, id, hold in dollars and rest ('' unknown), tokens ('' unknown), key, workspace, limits of the key
 * and of the workspace ('' none, else seven numbers: rpm, tpm, parallel calls, period, hard, dollars and rest; 0 is
 * none), "1" for a stream.
 * Returns 0 without a ledger; else 1 (admitted) or 2 (refused), the time, generation, sequence, and each scope as it
 * was.
 */
export const ADMIT = defineScript(
  'admit',
  SCOPE,
  `
local generation = redis.call('HGET', KEYS[1], 'generation')
if not generation then return { 0 } end
local now = clock(ARGV[1])
local second = math.floor(now / 1000)
local dollars, rest, tokens = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local names = { 'key:' .. ARGV[7], 'workspace:' .. ARGV[8] }
local scopes, views, refused = {}, { 0, 0 }, false

-- Milliseconds until this much is left in the minute; -1: never.
local function wait(scope, name, kind, most)
  if most < 0 then return -1 end
  local left = scope[kind == 1 and 24 or 25]
  local values = minute_values(name, scope[26], scope[27])
  for index = kind, #values, 2 do
    left = left - (tonumber(values[index]) or 0)
    if left <= most then return (scope[26] + (index - kind) / 2 + WINDOW) * 1000 - now end
  end
  return 0
end

local function fits(scope, period, is_hard, limit_dollars, limit_rest)
  local whole = scope[4 + 2 * period] + scope[12 + 2 * period]
  local part = scope[5 + 2 * period] + scope[13 + 2 * period]
  if not dollars then
    if is_hard then return false end
    -- One picodollar must be left.
    part = part + 1
  else
    whole, part = whole + dollars, part + rest
  end
  local carry = math.floor(part / REST)
  whole, part = whole + carry, part - carry * REST
  return whole < limit_dollars or (whole == limit_dollars and part <= limit_rest)
end

-- How a scope stands against its limits: -2 is "fits".
local function judge(scope, name, limits)
  local rpm, tpm, parallel, period, hard, limit_dollars, limit_rest =
    string.match(limits, '(%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+)')
  rpm, tpm, parallel, period = tonumber(rpm), tonumber(tpm), tonumber(parallel), tonumber(period)
  local view = { 0, 0, 0, 0, 0, scope[24], scope[25], scope[22], -2, -2, 0, scope[27] }
  if period > 0 then
    for place = 0, 1 do
      view[2 + place] = scope[4 + 2 * period + place]
      view[4 + place] = scope[12 + 2 * period + place]
    end
    if not fits(scope, period, hard == '1', tonumber(limit_dollars), tonumber(limit_rest)) then
      view[1] = 1
      refused = refused or hard == '1'
    end
  end
  if rpm > 0 and scope[24] + 1 > rpm then
    view[9] = wait(scope, name, 1, rpm - 1)
    refused = true
  end
  if tpm > 0 and (not tokens or scope[25] + tokens > tpm) then
    view[10] = tokens and wait(scope, name, 2, tpm - tokens) or -1
    refused = true
  end
  if parallel > 0 and scope[22] + 1 > parallel then
    view[11] = 1
    refused = true
  end
  return view
end

local changed = {}
for side = 1, 2 do
  scopes[side], changed[side] = load(names[side], now)
  if ARGV[8 + side] ~= '' then views[side] = judge(scopes[side], names[side], ARGV[8 + side]) end
end
for side = 1, 2 do
  local scope = scopes[side]
  if not refused then
    if dollars then
      for place = 14, 20, 2 do add(scope, place, dollars, rest) end
    end
    scope[22] = scope[22] + 1
    scope[23] = scope[23] + 1
    count(scope, names[side], second, 1, tokens or 0)
  end
  if changed[side] or not refused then save(scope, names[side]) end
end
if not refused then
  local entry = { 0, ARGV[7], ARGV[8], now, dollars or -1, rest or 0, tokens or -1, tonumber(ARGV[11]) }
  redis.call('HSET', ROOT .. 'holds:' .. ARGV[2], ARGV[3], cmsgpack.pack(entry))
end
local sequence = redis.call('HINCRBY', KEYS[1], 'sequence', 1)
return { refused and 2 or 1, now, tonumber(generation), sequence, views[1], views[2] }
`,
)
