// Checks the markup of pages below a folder by html-validate's recommended rules, and
// prints {"pages": n, "faults": ["file:line:column rule: message"]} as JSON. Its argument
// is the folder. Standard input has the names of the pages in it, as a JSON list.
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { HtmlValidate, StaticConfigLoader } from "html-validate";

// OneConfig resolves the configuration once: it is the same for all pages.
class OneConfig extends StaticConfigLoader {
  getConfigFor(...args) {
    this.resolved ??= super.getConfigFor(...args);
    return this.resolved;
  }
}

const loader = new OneConfig({
  root: true,
  extends: ["html-validate:recommended"],
  rules: {
    // The minifier writes "<!doctype html>"; its case does not matter in HTML.
    "doctype-style": "off",
    // The minifier leaves out type=submit and type=text, which are the defaults
    // of HTML. Templates have type=button and type=reset where they are needed.
    "no-implicit-button-type": "off",
    "no-implicit-input-type": "off",
    // HTML allows an "&" that does not begin a character reference, and the
    // minifier writes such.
    "no-raw-characters": ["error", { relaxed: true }],
    // Check boxes of one facet share a name: any of several values matches.
    "form-dup-name": "off",
    // A title holds the names of listing and catalogue, of up to 64 characters
    // each; the rule's limit of 70 characters is advice of search engines, not HTML.
    "long-title": "off",
  },
});
const validator = new HtmlValidate(loader);

const folder = process.argv[2];
const names = JSON.parse(readFileSync(0, "utf8"));
const faults = [];
for (const name of names) {
  const report = await validator.validateString(await readFile(join(folder, name), "utf8"), name);
  for (const { messages } of report.results) {
    for (const m of messages) faults.push(`${name}:${m.line}:${m.column} ${m.ruleId}: ${m.message}`);
  }
}
process.stdout.write(JSON.stringify({ pages: names.length, faults }) + "\n");
