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

  /** Reads bits, each of which depends on all before, into node until it is not less than end. */
  const descend = (from, node, end) => {
    let span = coder[SPAN], code = coder[CODE];
    while (node < end) {
      const at = from + node, p = probs[at], bound = Math.imul(span >>> 11, p) >>> 0;
      if (code < bound) {
        span = bound;
        probs[at] = p + ((2048 - p) >> 5);
        node <<= 1;
      } else {
        span = (span - bound) >>> 0;
        code = (code - bound) >>> 0;
        probs[at] = p - (p >> 5);
        node = (node << 1) | 1;
      }
      if (span < 0x1000000) {
        span = (span << 8) >>> 0;
        code = ((code << 8) | file[read++]) >>> 0;
      }
    }
    coder[SPAN] = span;
    coder[CODE] = code;
    return node;
  };
  const bit = (at) => descend(at - 1, 1, 2) - 2;
  const tree = (from, bits) => descend(from, 1, 1 << bits) - (1 << bits);
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
    let value = 0, span = coder[SPAN], code = coder[CODE];
    for (let i = 0; i < bits; i++) {
      span >>>= 1;
      const one = code < span ? 0 : 1;
      if (one) code = (code - span) >>> 0;
      value = (value << 1) | one;
      if (span < 0x1000000) {
        span = (span << 8) >>> 0;
        code = ((code << 8) | file[read++]) >>> 0;
      }
    }
    coder[SPAN] = span;
    coder[CODE] = code;
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
    output[written++] = descend(from, symbol, 0x100);
    state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
  };
  const copy = (length) => {
    let to = written;
    for (const end = Math.min(to + length, unpacked), back = rep0 + 1; to < end; to++) output[to] = output[to - back];
    written = to;
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
