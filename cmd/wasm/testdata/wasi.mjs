// Runs the program that is compiled with GOOS=wasip1, in a folder of its own:
// node wasi.mjs wasm.wasm FOLDER ARGUMENTS
import fs from "node:fs";
import { WASI } from "node:wasi";
const [program, folder, ...rest] = process.argv.slice(2);
const wasi = new WASI({ version: "preview1", args: ["wasm", ...rest], preopens: { "/": folder } });
const { instance } = await WebAssembly.instantiate(fs.readFileSync(program), wasi.getImportObject());
wasi.start(instance);
