/**
 * A hold is an entry under its node: state, key, workspace, time, dollars (-1 unknown) and rest, tokens (-1 unknown), 1
 * for a stream; of a reaped one also dollars, rest and tokens that were booked for it.
 * States: 0 held; 1 closing (another node is about to close it, the money is still held); 2 reaped (the money is
 * released, or of a stream booked, and a real end may still arrive, which takes the place of what was booked).
 */
export const ENTRY = `
local HELD, CLOSING, REAPED = 0, 1, 2

-- A call that this ledger did not admit is booked once, although its hold, if it had one, is gone. False: it was before.
local function charged_key(generation, id)
  return ROOT .. 'charged:' .. generation .. ':' .. id
end

local function mark_charged(generation, id)
  return redis.call('SET', charged_key(generation, id), '1', 'NX', 'EX', 86400)
end

-- What the end of a call does to its scopes; the entry itself is the caller's business.
local function finish(entry, now, dollars, rest, tokens, released)
  local edge, second = math.floor(now / 1000) - WINDOW, math.floor(entry[4] / 1000)
  local held = entry[1] ~= REAPED
  local booked = { 0, 0, 0 }
  if not held then booked = { entry[9] or 0, entry[10] or 0, entry[11] or 0 } end
  -- The log has it as given up, and nothing takes the place of that.
  if released and not held then dollars, rest, tokens = unpack(booked) end
  for _, name in ipairs({ 'key:' .. entry[2], 'workspace:' .. entry[3] }) do
    local scope = load(name, now)
    for period = 1, 4 do
      -- What belongs to a period that is over concerns nobody any more.
      if entry[4] >= scope[1 + period] then
        if held and entry[5] >= 0 then add(scope, 12 + 2 * period, -entry[5], -entry[6]) end
        add(scope, 4 + 2 * period, dollars - booked[1], rest - booked[2])
      end
    end
    if held then scope[22] = scope[22] - 1 end
    scope[23] = scope[23] + 1
    if second > edge then
      local before = held and math.max(entry[7], 0) or booked[3]
      count(scope, name, second, released and -1 or 0, tokens - before)
    end
    save(scope, name)
  end
end
`
