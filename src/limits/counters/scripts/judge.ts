/** Checks a scope against its limits, as src/limits/slots/slot.ts does in memory. */
export const JUDGE_PART = `
local NEVER, FITS = -1, -2

-- Milliseconds until this much is left in the minute. First: 1 counts requests, 2 tokens.
local function wait(scope, name, first, left, most, now)
  if most < 0 then return NEVER end
  if left <= most then return 0 end
  local values = minute_values(name, scope.oldest_second, scope.newest_second)
  for index = first, #values, 2 do
    left = left - (tonumber(values[index]) or 0)
    if left <= most then return (scope.oldest_second + (index - first) / 2 + WINDOW) * 1000 - now end
  end
  return 0
end

-- What is left in the budget period; negative after a limit was lowered.
local function money_left(scope, limits)
  local spent = spent_place(limits.period)
  local part = limits.budget_rest - scope[spent + 1] - scope.leased_rest
  local carry = math.floor(part / REST)
  return limits.budget - scope[spent] - scope.leased + carry, part - carry * REST
end

local function fits(scope, limits, call)
  local dollars, rest = call.money, call.money_rest
  if dollars < 0 then
    if limits.is_hard == 1 then return false end
    -- At least one picodollar must be left.
    dollars, rest = 0, 1
  elseif limits.is_hard == 1 and dollars == 0 and rest == 0 then
    return true
  end
  local left, part = money_left(scope, limits)
  return left > dollars or (left == dollars and part >= rest)
end

-- How the scope judges the call, and whether it refuses it.
local function judge(scope, name, limits, call, now)
  local view, refuses = {}, false
  view.is_over_budget, view.spent, view.spent_rest = 0, 0, 0
  view.held, view.held_rest = scope.leased, scope.leased_rest
  view.requests, view.tokens, view.in_flight = scope.requests, scope.tokens, scope.in_flight
  view.rpm_wait, view.tpm_wait, view.is_over_parallel = FITS, FITS, 0
  if limits.period > 0 then
    local spent = spent_place(limits.period)
    view.spent, view.spent_rest = scope[spent], scope[spent + 1]
    if not fits(scope, limits, call) then
      view.is_over_budget = 1
      refuses = limits.is_hard == 1
    end
  end
  -- A running call that holds more is counted already.
  if call.requests > 0 and limits.rpm > 0 and scope.requests + scope.leased_requests + 1 > limits.rpm then
    view.rpm_wait = wait(scope, name, 1, scope.requests, limits.rpm - 1, now)
    refuses = true
  end
  local tokens = call.tokens
  if limits.tpm > 0 and (tokens < 0 or (tokens > 0 and scope.tokens + scope.leased_tokens + tokens > limits.tpm)) then
    view.tpm_wait = tokens < 0 and NEVER or wait(scope, name, 2, scope.tokens, limits.tpm - tokens, now)
    refuses = true
  end
  if call.requests > 0 and limits.parallel > 0 and scope.leased_calls + 1 > limits.parallel then
    view.is_over_parallel = 1
    refuses = true
  end
  return view, refuses
end
`
