// Reads the front matter of files as YAML 1.1 and as YAML 1.2, and prints the values
// as JSON: [{"1.1": value, "1.2": value}, ...], in the order of the files. Dates of
// YAML 1.1 are printed as their day.
import { readFile } from "node:fs/promises";
import { parse } from "yaml";

const read = (text, version) => withDays(parse(text, { version }));

function withDays(value) {
  if (value instanceof Date) return value.toISOString().slice(0, 10);
  if (value === null || typeof value !== "object") return value;
  for (const [key, inner] of Object.entries(value)) value[key] = withDays(inner);
  return value;
}

const readings = [];
for (const file of process.argv.slice(2)) {
  const text = (await readFile(file, "utf8")).split(/^---$/m)[1];
  readings.push({ "1.1": read(text, "1.1"), "1.2": read(text, "1.2") });
}
process.stdout.write(JSON.stringify(readings) + "\n");
