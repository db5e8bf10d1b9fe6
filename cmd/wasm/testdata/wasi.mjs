// Runs the program compiled with GOOS=wasip1 with access to one folder:
// node wasi.mjs wasm.wasm FOLDER ARGUMENTS
import fs from "node:fs";
import { WASI } from "node:wasi";
const [program, folder, ...rest] = process.argv.slice(2);
const wasi = new WASI({ version: "preview1", args: ["wasm", ...rest], preopens: { "/": folder } });
const { instance } = await WebAssembly.instantiate(fs.readFileSync(program), wasi.getImportObject());
wasi.start(instance);
