// Decompresses files with the script of the pages: node unpack.js unlzma.js piece file… It prints for each the bytes in
// base64, or the error. piece is how many bytes arrive at once.
const fs = require("node:fs");
const [script, piece, ...files] = process.argv.slice(2);
(0, eval)(fs.readFileSync(script, "utf8"));
for (const name of files) {
  const file = fs.readFileSync(name), size = Number(piece), pieces = [];
  try {
    const unpack = unlzma(file.length, Number(file.readBigUInt64LE(5)));
    for (let at = 0; at < file.length; at += size) pieces.push(unpack(file.subarray(at, at + size)));
    console.log(Buffer.concat(pieces).toString("base64"));
  } catch (error) {
    console.log(`error: ${error.message}`);
  }
}
