/**
 * The start of every script: scopes, named `key:ID` and `workspace:NAME`, each a packed list (fields.ts). KEYS[1] is the
 * ledger's own key and the prefix of all others.
 *
 * The seconds of the minute are a hash beside it (r…, t…). A second counts until all of it is a minute ago, as in
 * src/limits/ledger.ts.
 */
export const SCOPES_PART = `
local ROOT = string.sub(KEYS[1], 1, -7)
local DAY, WINDOW, REST = 86400000, 61, 1000000000000
local PERIODS = 4

-- Tests pass the time.
local function time_by(given)
  if given ~= '' then return tonumber(given) end
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end

-- Days since the start of the month, from days since 1970. Years start in March here, so leap days come last.
local function day_of_month(day)
  local shifted = day + 719468
  local of_era = shifted - math.floor(shifted / 146097) * 146097
  local year = math.floor((of_era - math.floor(of_era / 1460) + math.floor(of_era / 36524) - math.floor(of_era / 146096)) / 365)
  local of_year = of_era - (365 * year + math.floor(year / 4) - math.floor(year / 100))
  local month = math.floor((5 * of_year + 2) / 153)
  return of_year - math.floor((153 * month + 2) / 5)
end

-- Start of the latest day seen by any scope.
local function newest_day()
  return tonumber(redis.call('GET', ROOT .. 'day') or '0')
end

-- The time sent to nodes. If the clock goes back over midnight, no call is admitted in a day that has ended.
local function told_time(now)
  return math.max(now, newest_day())
end

-- Indexes in a scope: the start of each period, and what was spent in it.
local function began_place(period) return SCOPE.day_began + period - 1 end
local function spent_place(period) return SCOPE.day_spent + 2 * (period - 1) end

-- A period never repeats: if the clock goes back, the later one continues.
local function begin_periods(scope, now, looking)
  local day = math.floor(now / DAY)
  local starts = { day * DAY, (day - (day + 3) % 7) * DAY, (day - day_of_month(day)) * DAY, 0 }
  for period = 1, PERIODS do
    local began, spent = began_place(period), spent_place(period)
    if starts[period] > scope[began] then
      scope[began] = starts[period]
      scope[spent], scope[spent + 1] = 0, 0
    end
  end
  scope.day_ends = math.max(scope.day_ends, (day + 1) * DAY)
  if not looking and day * DAY > newest_day() then redis.call('SET', ROOT .. 'day', day * DAY) end
end

local function minute_values(name, first, last)
  local fields = {}
  for second = first, last do
    fields[#fields + 1] = 'r' .. second
    fields[#fields + 1] = 't' .. second
  end
  return redis.call('HMGET', ROOT .. 'minute:' .. name, unpack(fields)), fields
end

-- The clock was set back: counts in future seconds move to now, and expire in a minute.
local function redate(scope, name, now)
  local second, key = math.floor(now / 1000), ROOT .. 'minute:' .. name
  redis.call('DEL', key)
  redis.call('HSET', key, 'r' .. second, scope.requests, 't' .. second, scope.tokens)
  redis.call('EXPIRE', key, 4 * WINDOW)
  scope.oldest_second, scope.newest_second = second, second
end

-- Drops seconds older than a minute. Reads do not write.
local function expire(scope, name, now, looking)
  if scope.newest_second > math.floor(now / 1000) + 1 and not looking then redate(scope, name, now) end
  local edge = math.floor(now / 1000) - WINDOW
  if scope.oldest_second == 0 or scope.oldest_second > edge then return false end
  if scope.newest_second <= edge then
    scope.requests, scope.tokens, scope.oldest_second, scope.newest_second = 0, 0, 0, 0
    if not looking then redis.call('DEL', ROOT .. 'minute:' .. name) end
    return true
  end
  local values, fields = minute_values(name, scope.oldest_second, edge)
  for index = 1, #values, 2 do
    scope.requests = scope.requests - (tonumber(values[index]) or 0)
    scope.tokens = scope.tokens - (tonumber(values[index + 1]) or 0)
  end
  scope.oldest_second = edge + 1
  if not looking then redis.call('HDEL', ROOT .. 'minute:' .. name, unpack(fields)) end
  return true
end

local function load(name, now, looking)
  local packed = redis.call('GET', ROOT .. 'scope:' .. name)
  local scope
  if packed then
    scope = cmsgpack.unpack(packed)
  else
    scope = {}
    for place = SCOPE.day_ends, SCOPE.idle_rest do scope[place] = 0 end
    if not looking then redis.call('SADD', ROOT .. 'scopes', name) end
  end
  if now >= scope.day_ends then begin_periods(scope, now, looking) end
  return scope, expire(scope, name, now, looking)
end

local function save(scope, name)
  redis.call('SET', ROOT .. 'scope:' .. name, cmsgpack.pack(scope))
end

-- Adds to the amount at this index; the remainder stays between 0 and one dollar.
local function add(list, place, dollars, rest)
  local sum = list[place + 1] + rest
  local carry = math.floor(sum / REST)
  list[place] = list[place] + dollars + carry
  list[place + 1] = sum - carry * REST
end

-- A future second, from a node whose clock is ahead, counts as now.
local function count(scope, name, now, second, requests, tokens)
  second = math.min(second, math.floor(now / 1000))
  local key = ROOT .. 'minute:' .. name
  if requests ~= 0 then redis.call('HINCRBY', key, 'r' .. second, requests) end
  if tokens ~= 0 then redis.call('HINCRBY', key, 't' .. second, tokens) end
  scope.requests = scope.requests + requests
  scope.tokens = scope.tokens + tokens
  if scope.oldest_second == 0 or second < scope.oldest_second then scope.oldest_second = second end
  if second > scope.newest_second then
    -- Once a minute is enough: the key lives longer than that.
    if math.floor(second / WINDOW) > math.floor(scope.newest_second / WINDOW) then
      redis.call('EXPIRE', key, 4 * WINDOW)
    end
    scope.newest_second = second
  end
end

-- Adds those seconds of the list that are still within the minute; sign -1 subtracts.
local function count_all(scope, name, now, seconds, sign)
  local edge = math.floor(now / 1000) - WINDOW
  for _, second in ipairs(seconds) do
    if second.at > edge then count(scope, name, now, second.at, sign * second.requests, sign * second.tokens) end
  end
end
`
