# Varnish as the CDN in front of catalog serve, or of nginx or Caddy before several replicas.
# CDN.md explains the rules. Set the two values marked SET, and name the address of this
# Varnish in --trusted-proxies of each replica: Varnish appends the address of its client to
# X-Forwarded-For by itself.
vcl 4.1;

import std;

# SET: the origin.
backend origin {
  .host = "127.0.0.1";
  .port = "8080";
  .connect_timeout = 2s;
  .first_byte_timeout = 30s;
  .probe = { .url = "/readyz"; .interval = 2s; .timeout = 2s; .window = 3; .threshold = 2; .initial = 2; }
}

# SET: who may purge.
acl purgers {
  "127.0.0.1";
  "::1";
}

sub vcl_recv {
  if (req.url ~ "^[^?]*/api/") {
    # Equal answers get one address: without the parameters of campaigns, and sorted.
    set req.url = std.querysort(regsuball(req.url, "(?<=[?&])(utm_[^=&]*|gclid|fbclid)(=[^&]*)?(&|$)", ""));
    set req.url = regsub(req.url, "[?&]+$", "");
  } else {
    # Pages and files do not depend on the query. Only the page code reads its filters.
    set req.url = regsub(req.url, "\?.*$", "");
  }

  if (req.method == "PURGE") {
    if (client.ip !~ purgers) {
      return (synth(405));
    }
    return (purge); # all variants of the address
  }
  if (req.method != "GET" && req.method != "HEAD") {
    return (pass);
  }
  # Requests with a key count against the allowance of the key, so the origin sees them.
  if (req.http.X-Api-Key || req.http.Authorization) {
    return (pass);
  }
  if (req.url ~ "/(mcp|healthz|readyz)$") {
    return (pass);
  }

  # Only text/markdown changes the answer. All other values of Accept are one variant.
  if (req.http.Accept !~ "(?i)text/markdown") {
    unset req.http.Accept;
  }
  # Nothing depends on cookies.
  unset req.http.Cookie;
}

sub vcl_backend_response {
  # If the origin refuses a refresh in the background, the old answer stays. It is older than
  # wanted, but correct.
  if (bereq.is_bgfetch && (beresp.status == 429 || beresp.status >= 500)) {
    return (abandon);
  }
  if (bereq.url ~ "/api/") {
    # The list of changes does not name searches. They are at most two minutes old: one minute
    # fresh, and one minute until the next answer has arrived.
    set beresp.grace = 60s;
  } elsif (beresp.http.CDN-Cache-Control ~ "max-age=[0-9]+") {
    # RFC 9213: shared caches keep pages longer than browsers do.
    set beresp.ttl = std.duration(regsub(beresp.http.CDN-Cache-Control, "^.*max-age=([0-9]+).*$", "\1s"), beresp.ttl);
  }
  # The built-in rules of Varnish keep no answer that has no-store (429, 401, 404, 503).
}

sub vcl_deliver {
  if (obj.hits > 0) {
    # These belong to another client or another request.
    unset resp.http.RateLimit;
    unset resp.http.RateLimit-Policy;
    unset resp.http.X-Request-Id;
    set resp.http.X-Cache = "HIT";
  } else {
    set resp.http.X-Cache = "MISS";
  }
  if (resp.http.CDN-Cache-Control) {
    # A browser would subtract Age from the shorter time for which it may keep a page.
    unset resp.http.Age;
    unset resp.http.CDN-Cache-Control;
  }
  unset resp.http.X-Varnish;
  unset resp.http.Via;
}
