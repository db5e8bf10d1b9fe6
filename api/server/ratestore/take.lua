-- Decides on a request, and counts it if it is allowed.
--
-- KEYS[1]  the counts of a client: a string with 12 bytes for each second with
--          requests, oldest first, at most 61. They are three little-endian
--          numbers of 4 bytes: the second since 1970, the time of the last
--          request in microseconds from its start, the number of requests.
--          Any other value is replaced.
-- ARGV[1]  how many requests are allowed in 60 seconds
-- ARGV[2]  for tests: the time, in microseconds since 1970
--
-- Returns whether it is allowed (1 or 0), how many are left, and in how many
-- seconds more become free.
local window = 60000000

-- The time is Redis's own, so that the clocks of replicas do not matter.
local second, micro
if ARGV[2] then
  second, micro = math.floor(ARGV[2] / 1000000), ARGV[2] % 1000000
else
  local time = redis.call('TIME')
  second, micro = tonumber(time[1]), tonumber(time[2])
end
local now = second * 1000000 + micro

local function isReadable(counts)
  if #counts % 12 ~= 0 or #counts > 61 * 12 then
    return false
  end
  for at = 1, #counts, 12 do
    local _, last, requests = struct.unpack('<I4I4I4', counts, at)
    if last >= 1000000 or requests == 0 then
      return false
    end
  end
  return true
end

local counts = redis.pcall('GET', KEYS[1]) or ''
if type(counts) == 'table' then -- an error
  if not string.find(counts.err, 'WRONGTYPE', 1, true) then
    return counts
  end
  counts = ''
elseif not isReadable(counts) then
  counts = ''
end
local total = 0      -- requests in the window
local kept = 1       -- where the slots begin that are in the window
local finish = #counts + 1 -- where those end whose time has come
local oldest         -- when the last request of the oldest of them came
local ahead = 0      -- requests of a time that is still to come
for at = 1, #counts, 12 do
  local s, last, requests = struct.unpack('<I4I4I4', counts, at)
  local ended = s * 1000000 + last
  if ended <= now - window then
    kept = at + 12
  else
    total = total + requests
    if ended > now then
      -- Redis's clock was set back, or another Redis took over. How long ago
      -- these came is unknown: they count from now, and no longer.
      ahead = ahead + requests
      finish = math.min(finish, at)
      ended = now
    end
    oldest = oldest or ended
  end
end

local limit = tonumber(ARGV[1])
local allowed = 0
if total < limit then
  allowed, total, ahead = 1, total + 1, ahead + 1
  oldest = oldest or now
end
if ahead > 0 then
  -- What came in this second shares its slot.
  if finish - 12 >= kept then
    local s, _, requests = struct.unpack('<I4I4I4', counts, finish - 12)
    if s == second then
      finish, ahead = finish - 12, ahead + requests
    end
  end
  counts = string.sub(counts, kept, finish - 1) .. struct.pack('<I4I4I4', second, micro, ahead)
  -- A second more than the window: keys expire by milliseconds.
  redis.call('SET', KEYS[1], counts, 'PX', 61000)
end

local wait = 1
if oldest then
  wait = math.max(1, math.ceil((oldest + window - now) / 1000000))
end
return {allowed, math.max(0, limit - total), wait}
