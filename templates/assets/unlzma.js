// Decompresses the files that generator/lzma writes. The build puts this before worker.js.

/**
 * Returns a function that takes the next bytes of a file, and returns those that they decompress to. size is that of
 * the file, and unpacked that of what is in it.
 */
function unlzma(size, unpacked) {
  const header = 13, literalBits = 3, needed = 32; // a step reads fewer bytes
  const file = new Uint8Array(size + needed), output = new Uint8Array(unpacked);
  let received = 0, read = header + 1, written = 0; // the first byte after the header is 0

  // The probabilities of all bits, times 2048. Each list begins where the one before ends. Those of 12 are by the state.
  const isMatch = 0, isRep = 12, isOlder = 24, isThird = 36, isFourth = 48, isLong = 60, slots = 72;
  const near = slots + 4 * 64, align = near + 115, lengths = align + 16, repLengths = lengths + 274, literals = repLengths + 274;
  const probs = new Uint16Array(literals + (0x300 << literalBits)).fill(1024);
  // Numbers of 32 bits are fast only in such a list.
  const coder = new Uint32Array([0xffffffff, 0]), SPAN = 0, CODE = 1;
  let state = 0, rep0 = 0, rep1 = 0, rep2 = 0, rep3 = 0;

  const narrow = (span) => {
    if (span < 0x1000000) {
      coder[SPAN] = span << 8;
      coder[CODE] = (coder[CODE] << 8) | file[read++];
    } else coder[SPAN] = span;
  };
  const bit = (at) => {
    const span = coder[SPAN], p = probs[at], bound = Math.imul(span >>> 11, p) >>> 0;
    if (coder[CODE] < bound) {
      probs[at] = p + ((2048 - p) >> 5);
      narrow(bound);
      return 0;
    }
    probs[at] = p - (p >> 5);
    coder[CODE] -= bound;
    narrow(span - bound);
    return 1;
  };
  const tree = (from, bits) => {
    let node = 1;
    for (let i = 0; i < bits; i++) node = (node << 1) | bit(from + node);
    return node - (1 << bits);
  };
  const reverseTree = (from, bits) => {
    let node = 1, value = 0;
    for (let i = 0; i < bits; i++) {
      const one = bit(from + node);
      node = (node << 1) | one;
      value |= one << i;
    }
    return value;
  };
  const direct = (bits) => {
    let value = 0;
    for (let i = 0; i < bits; i++) {
      const span = coder[SPAN] >>> 1, one = coder[CODE] < span ? 0 : 1;
      if (one) coder[CODE] -= span;
      narrow(span);
      value = (value << 1) | one;
    }
    return value;
  };
  const lengthOf = (from) => {
    if (!bit(from)) return 2 + tree(from + 2, 3);
    return bit(from + 1) ? 18 + tree(from + 18, 8) : 10 + tree(from + 10, 3);
  };
  const distance = (length) => {
    const slot = tree(slots + 64 * Math.min(length - 2, 3), 6);
    if (slot < 4) return slot;
    const bits = (slot >> 1) - 1, base = (2 | (slot & 1)) << bits;
    if (slot < 14) return base + reverseTree(near + base - slot, bits);
    const upper = direct(bits - 4) << 4;
    return base + upper + reverseTree(align, 4);
  };
  const literal = () => {
    const from = literals + 0x300 * ((written ? output[written - 1] : 0) >> (8 - literalBits));
    let symbol = 1;
    if (state >= 7) { // the byte that would have continued a match
      let expected = output[written - rep0 - 1], same = true;
      while (same && symbol < 0x100) {
        expected <<= 1;
        const wanted = expected & 0x100, one = bit(from + 0x100 + wanted + symbol);
        symbol = (symbol << 1) | one;
        same = wanted >> 8 === one;
      }
    }
    while (symbol < 0x100) symbol = (symbol << 1) | bit(from + symbol);
    output[written++] = symbol;
    state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
  };
  const copy = (length) => {
    const end = Math.min(written + length, unpacked), back = rep0 + 1;
    for (; written < end; written++) output[written] = output[written - back];
  };
  const again = () => { // a distance that was used before
    const later = state < 7 ? 0 : 3;
    if (!bit(isOlder + state)) {
      if (!bit(isLong + state)) {
        state = later ? 11 : 9;
        return copy(1);
      }
    } else {
      let used = rep1;
      if (bit(isThird + state)) {
        used = rep2;
        if (bit(isFourth + state)) {
          used = rep3;
          rep3 = rep2;
        }
        rep2 = rep1;
      }
      rep1 = rep0;
      rep0 = used;
    }
    const length = lengthOf(repLengths);
    state = 8 + later;
    copy(length);
  };
  const step = () => {
    if (!bit(isMatch + state)) return literal();
    if (bit(isRep + state)) return again();
    const length = lengthOf(lengths);
    rep3 = rep2;
    rep2 = rep1;
    rep1 = rep0;
    rep0 = distance(length);
    state = state < 7 ? 7 : 10;
    copy(length);
  };

  return (bytes) => {
    const before = received, from = written;
    received += bytes.length;
    if (received > size) throw new Error("it is longer than the build has written it");
    file.set(bytes, before);
    if (received < header + 5) return output.subarray(0, 0);
    if (before < header + 5) {
      if (file[0] !== literalBits) throw new Error("it is not what the build has written");
      for (let i = 0; i < 4; i++) coder[CODE] = (coder[CODE] << 8) | file[read++];
    }
    const until = received === size ? size : received - needed;
    while (written < unpacked && read <= until) step();
    if (received === size && written < unpacked) throw new Error("it is damaged");
    return output.slice(from, written);
  };
}
