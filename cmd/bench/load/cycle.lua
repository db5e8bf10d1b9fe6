-- Requests the addresses of a file in turn. Each line has a path, a tab, and the ETag
-- that the client has, which may be empty. All requests are written beforehand.
local requests, at = {}, 0

function init(args)
  for line in io.lines(args[1]) do
    local path, etag = line:match("^([^\t]*)\t(.*)$")
    local headers = {}
    if etag ~= "" then headers["If-None-Match"] = etag end
    requests[#requests + 1] = wrk.format("GET", path, headers)
  end
end

function request()
  at = at % #requests + 1
  return requests[at]
end

function done(summary, latency)
  local e = summary.errors
  print(string.format("figures %d %d %d %d %d %d %d", summary.requests, summary.duration,
    latency:percentile(50), latency:percentile(99), latency:percentile(99.9), e.status, e.connect + e.read + e.write + e.timeout))
end
