/**
 * The start of every script. KEYS[1] is the ledger's own key and the prefix of all others.
 *
 * Lua's numbers are doubles, exact up to 2^53, so an amount of picodollars is two of them: whole dollars and the rest.
 *
 * A scope (`key:ID`, `workspace:NAME`) is one packed list:
 *   [1] where its day ends; [2..5] where its day, week, month and total began (period p: [1 + p]);
 *   [6..13] spent, dollars and rest of each period; [14], [15] leased money; [16], [17], [18] leased calls at a time,
 *   requests and tokens; [19] calls in flight; [20] changes; [21], [22] requests and tokens of the last minute; [23],
 *   [24] its oldest and newest second, 0 when empty; [25] until when idle leases are called back; [26], [27] the leased
 *   money that no call holds.
 * What is leased has no period: it counts in whichever is present.
 * The seconds of the minute are a hash beside it (r…, t…). A second counts until all of it is a minute ago, as in
 * src/limits/minute-window.ts.
 */
export const SCOPE = `
local ROOT = string.sub(KEYS[1], 1, -7)
local DAY, WINDOW, REST = 86400000, 61, 1000000000000

local function clock(given)
  if given ~= '' then return tonumber(given) end
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end

-- How many days of its month are over; days are counted from 1970. A year of this calendar begins in March.
local function day_of_month(day)
  local shifted = day + 719468
  local of_era = shifted - math.floor(shifted / 146097) * 146097
  local year = math.floor((of_era - math.floor(of_era / 1460) + math.floor(of_era / 36524) - math.floor(of_era / 146096)) / 365)
  local of_year = of_era - (365 * year + math.floor(year / 4) - math.floor(year / 100))
  local month = math.floor((5 * of_year + 2) / 153)
  return of_year - math.floor((153 * month + 2) / 5)
end

-- The start of the latest day that any scope has begun.
local function newest_day()
  return tonumber(redis.call('GET', ROOT .. 'day') or '0')
end

-- The time as nodes are told it. Should the clock go back over midnight, no call is admitted in a day that is over.
local function told_time(now)
  return math.max(now, newest_day())
end

-- A period never comes twice: should the clock go back, the later one goes on.
local function begin_periods(scope, now, looking)
  local day = math.floor(now / DAY)
  local starts = { day * DAY, (day - (day + 3) % 7) * DAY, (day - day_of_month(day)) * DAY, 0 }
  for period = 1, 4 do
    if starts[period] > scope[1 + period] then
      scope[1 + period] = starts[period]
      scope[4 + 2 * period], scope[5 + 2 * period] = 0, 0
    end
  end
  scope[1] = math.max(scope[1], (day + 1) * DAY)
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

-- The clock was set back: what was counted in seconds that are still to come counts as of now, and leaves in a minute.
local function redate(scope, name, now)
  local second, key = math.floor(now / 1000), ROOT .. 'minute:' .. name
  redis.call('DEL', key)
  redis.call('HSET', key, 'r' .. second, scope[21], 't' .. second, scope[22])
  redis.call('EXPIRE', key, 4 * WINDOW)
  scope[23], scope[24] = second, second
end

-- Lets seconds leave the minute. Only looking writes nothing.
local function expire(scope, name, now, looking)
  if scope[24] > math.floor(now / 1000) + 1 and not looking then redate(scope, name, now) end
  local edge = math.floor(now / 1000) - WINDOW
  if scope[23] == 0 or scope[23] > edge then return false end
  if scope[24] <= edge then
    scope[21], scope[22], scope[23], scope[24] = 0, 0, 0, 0
    if not looking then redis.call('DEL', ROOT .. 'minute:' .. name) end
    return true
  end
  local values, fields = minute_values(name, scope[23], edge)
  for index = 1, #values, 2 do
    scope[21] = scope[21] - (tonumber(values[index]) or 0)
    scope[22] = scope[22] - (tonumber(values[index + 1]) or 0)
  end
  scope[23] = edge + 1
  if not looking then redis.call('HDEL', ROOT .. 'minute:' .. name, unpack(fields)) end
  return true
end

local function load(name, now, looking)
  local packed = redis.call('GET', ROOT .. 'scope:' .. name)
  local scope
  if packed then
    scope = cmsgpack.unpack(packed)
  else
    scope = { 0, 0, 0, 0, 0 }
    for place = 6, 27 do scope[place] = 0 end
    if not looking then redis.call('SADD', ROOT .. 'scopes', name) end
  end
  if now >= scope[1] then begin_periods(scope, now, looking) end
  return scope, expire(scope, name, now, looking)
end

local function save(scope, name)
  redis.call('SET', ROOT .. 'scope:' .. name, cmsgpack.pack(scope))
end

-- Adds to the pair of numbers at this place; the rest stays between nothing and a dollar.
local function add(scope, place, dollars, rest)
  local sum = scope[place + 1] + rest
  local carry = math.floor(sum / REST)
  scope[place] = scope[place] + dollars + carry
  scope[place + 1] = sum - carry * REST
end

-- A second that is still to come, by the clock of a node that is ahead, counts as of now.
local function count(scope, name, now, second, requests, tokens)
  second = math.min(second, math.floor(now / 1000))
  local key = ROOT .. 'minute:' .. name
  if requests ~= 0 then redis.call('HINCRBY', key, 'r' .. second, requests) end
  if tokens ~= 0 then redis.call('HINCRBY', key, 't' .. second, tokens) end
  scope[21] = scope[21] + requests
  scope[22] = scope[22] + tokens
  if scope[23] == 0 or second < scope[23] then scope[23] = second end
  if second > scope[24] then
    -- Once a minute: it outlives the minute after that.
    if math.floor(second / WINDOW) > math.floor(scope[24] / WINDOW) then redis.call('EXPIRE', key, 4 * WINDOW) end
    scope[24] = second
  end
end
`
