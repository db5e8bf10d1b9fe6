#!/bin/sh
# In WebKitGTK 2.50, the first Enter in a field with a list of suggestions (datalist) only closes
# the list that is open: the page gets a keydown for Enter, but neither change nor submit. Both come
# with the second Enter. It is so even where nothing in the list was chosen and the whole text was
# typed. Where no suggestion fits, so that no list is open, and in Chromium and Firefox, the first
# Enter sends both.
# Whoever takes what was typed with Enter listens to keydown as well.
# It needs Node.js, npm, Xvfb, Chromium, Firefox and WebKitGTK (Debian: chromium 156.0.8078.108,
# firefox-esr 153.8.0esr, webkit2gtk-driver and libwebkit2gtk-4.1-0 2.50.6). Seen:
#   chrome, Beta: keydown change submit, then keydown submit
#   chrome, Zeta: keydown change submit, then keydown submit
#   firefox, Beta: keydown change submit, then keydown submit
#   firefox, Zeta: keydown change submit, then keydown submit
#   webkit, Beta: keydown, then keydown change submit
#   webkit, Zeta: keydown change submit, then keydown submit
set -eu
dir=$(mktemp -d)
screen='' driver=''
trap 'kill $driver $screen 2> /dev/null || true; wait; rm -rf "$dir"' EXIT
cd "$dir"
npm init -y > /dev/null
npm install --no-audit --no-fund --silent puppeteer-core@25.16.0 > /dev/null
cat > type.mjs <<'EOF'
import { createServer } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import puppeteer from "puppeteer-core";

const [driver, chromium, firefox, miniBrowser] = process.argv.slice(2);
const source = `<!doctype html><title>Names</title>
<form><input list="names"><datalist id="names"><option>Alpha<option>Beta</datalist><button>Go</button></form>
<script>
  const seen = [], form = document.querySelector("form"), note = (event) => seen.push(event.type);
  form.addEventListener("keydown", (event) => { if (event.key === "Enter") note(event); });
  form.addEventListener("change", note);
  form.addEventListener("submit", (event) => { event.preventDefault(); note(event); });
</script>`;
const server = createServer((request, response) => {
  response.setHeader("Content-Type", "text/html").end(source);
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));
const address = `http://127.0.0.1:${server.address().port}/`, taken = 'return seen.splice(0).join(" ")';

async function tell(name, { open, type, enter, read }) {
  for (const text of ["Beta", "Zeta"]) {
    await open();
    await type(text);
    await pause(1000); // the list opens meanwhile
    await enter();
    const first = await read();
    await enter();
    console.log(`${name}, ${text}: ${first}, then ${await read()}`);
  }
}

for (const [browser, executablePath] of [["chrome", chromium], ["firefox", firefox]]) {
  // For root, Chromium has no sandbox.
  const args = browser === "chrome" && process.getuid() === 0 ? ["--no-sandbox"] : [];
  const started = await puppeteer.launch({ browser, executablePath, args, headless: false });
  try {
    console.error(await started.version());
    const page = await started.newPage();
    await tell(browser, {
      open: async () => { await page.goto(address); await page.focus("input"); },
      type: (text) => page.keyboard.type(text),
      enter: () => page.keyboard.press("Enter"),
      read: () => page.evaluate(new Function(taken)),
    });
  } finally {
    await started.close();
  }
}

async function command(method, path, body) {
  const response = await fetch(driver + path, { method, body: body && JSON.stringify(body) });
  const { value } = await response.json();
  if (!response.ok) throw new Error(`${path}: ${value.message}`);
  return value;
}
for (let tries = 0; !(await command("GET", "/status").catch(() => null)); tries++) {
  if (tries === 50) throw new Error("WebKitWebDriver does not answer");
  await pause(200);
}
const { sessionId, capabilities } = await command("POST", "/session", {
  capabilities: { alwaysMatch: { "webkitgtk:browserOptions": { binary: miniBrowser, args: ["--automation"] } } },
});
const session = `/session/${sessionId}`;
try {
  console.error(`${capabilities.browserName} ${capabilities.browserVersion}`);
  const type = async (text) => {
    const element = await command("POST", `${session}/element`, { using: "css selector", value: "input" });
    await command("POST", `${session}/element/${Object.values(element)[0]}/value`, { text });
  };
  await tell("webkit", {
    open: () => command("POST", `${session}/url`, { url: address }),
    type,
    enter: () => type("\uE007"),
    read: () => command("POST", `${session}/execute/sync`, { script: taken, args: [] }),
  });
} finally {
  await command("DELETE", session);
  server.close();
}
EOF
Xvfb -displayfd 3 -screen 0 1400x1000x24 -nolisten tcp 3> display 2> /dev/null &
screen=$!
tries=0
until [ -s display ]; do
  tries=$((tries + 1))
  [ $tries -lt 50 ]
  sleep 0.2
done
cat > port.cjs <<'EOF'
const server = require("net").createServer().listen(0, "127.0.0.1", () => {
  console.log(server.address().port);
  server.close();
});
EOF
port=$(node port.cjs)
export DISPLAY=":$(cat display)" HOME="$dir" XDG_RUNTIME_DIR="$dir" GDK_BACKEND=x11 LIBGL_ALWAYS_SOFTWARE=1
WebKitWebDriver --host=127.0.0.1 --port="$port" > /dev/null 2>&1 &
driver=$!
node type.mjs "http://127.0.0.1:$port" "$(command -v chromium)" "$(command -v firefox-esr)" \
  /usr/lib/*/webkit2gtk-4.1/MiniBrowser > seen
cat > expected <<'EOF'
chrome, Beta: keydown change submit, then keydown submit
chrome, Zeta: keydown change submit, then keydown submit
firefox, Beta: keydown change submit, then keydown submit
firefox, Zeta: keydown change submit, then keydown submit
webkit, Beta: keydown, then keydown change submit
webkit, Zeta: keydown change submit, then keydown submit
EOF
cat seen
diff expected seen
