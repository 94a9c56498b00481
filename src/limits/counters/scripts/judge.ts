/** How a scope stands against its limits, as src/limits/admission.ts does it in memory. */
export const JUDGE = `
local function limits_of(text)
  if text == '' then return nil end
  local rpm, tpm, parallel, period, hard, dollars, rest =
    string.match(text, '(%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+)')
  return {
    rpm = tonumber(rpm), tpm = tonumber(tpm), parallel = tonumber(parallel), period = tonumber(period),
    hard = hard == '1', dollars = tonumber(dollars), rest = tonumber(rest),
  }
end

-- Milliseconds until this much is left in the minute; -1: never.
local function wait(scope, name, kind, most, now)
  if most < 0 then return -1 end
  local left = scope[20 + kind]
  if left <= most then return 0 end
  local values = minute_values(name, scope[23], scope[24])
  for index = kind, #values, 2 do
    left = left - (tonumber(values[index]) or 0)
    if left <= most then return (scope[23] + (index - kind) / 2 + WINDOW) * 1000 - now end
  end
  return 0
end

-- What the period of a budget has left; less than nothing after a limit was lowered.
local function money_left(scope, limits)
  local part = limits.rest - scope[5 + 2 * limits.period] - scope[15]
  local carry = math.floor(part / REST)
  return limits.dollars - scope[4 + 2 * limits.period] - scope[14] + carry, part - carry * REST
end

local function fits(scope, limits, dollars, rest)
  if dollars < 0 then
    if limits.hard then return false end
    -- One picodollar must be left.
    dollars, rest = 0, 1
  elseif limits.hard and dollars == 0 and rest == 0 then
    return true
  end
  local left, part = money_left(scope, limits)
  return left > dollars or (left == dollars and part >= rest)
end

-- -1 dollars, -1 tokens: unknown. In the view -2 is "fits". Returns it and whether the scope refuses the call.
local function judge(scope, name, limits, dollars, rest, tokens, now)
  local view = { 0, 0, 0, scope[14], scope[15], scope[21], scope[22], scope[19], -2, -2, 0, scope[24] }
  local refuses = false
  if limits.period > 0 then
    view[2], view[3] = scope[4 + 2 * limits.period], scope[5 + 2 * limits.period]
    if not fits(scope, limits, dollars, rest) then
      view[1] = 1
      refuses = limits.hard
    end
  end
  if limits.rpm > 0 and scope[21] + scope[17] + 1 > limits.rpm then
    view[9] = wait(scope, name, 1, limits.rpm - 1, now)
    refuses = true
  end
  if limits.tpm > 0 and (tokens < 0 or (tokens > 0 and scope[22] + scope[18] + tokens > limits.tpm)) then
    view[10] = tokens < 0 and -1 or wait(scope, name, 2, limits.tpm - tokens, now)
    refuses = true
  end
  if limits.parallel > 0 and scope[16] + 1 > limits.parallel then
    view[11] = 1
    refuses = true
  end
  return view, refuses
end
`
