"use strict";

// SHA-256 as FIPS 180-4 defines it. The browser's own (crypto.subtle) does not exist on pages that
// are opened from disk in every browser, and an auditor can read this one.

/** The constants of FIPS 180-4, 4.2.2. */
// prettier-ignore
const SHA256_K = Int32Array.of(
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
);

/** An incremental SHA-256. */
class Sha256 {
  constructor() {
    /** The hash value, FIPS 180-4, 5.3.3. */
    // prettier-ignore
    this.state = Int32Array.of(
      0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
    );
    this.schedule = new Int32Array(64);
    /** Bytes that do not fill a block yet. */
    this.rest = new Uint8Array(64);
    this.length = 0;
  }

  /**
   * Adds bytes.
   * @param {Uint8Array} bytes
   * @returns {this}
   */
  update(bytes) {
    let filled = this.length % 64;
    let at = 0;
    this.length += bytes.length;
    if (filled > 0) {
      at = Math.min(64 - filled, bytes.length);
      this.rest.set(bytes.subarray(0, at), filled);
      filled += at;
      if (filled < 64) return this;
      this.#block(this.rest, 0);
    }
    for (; at + 64 <= bytes.length; at += 64) this.#block(bytes, at);
    this.rest.set(bytes.subarray(at));
    return this;
  }

  /**
   * The digest of everything added; the object is used up.
   * @returns {Uint8Array} 32 bytes
   */
  digest() {
    const filled = this.length % 64;
    const padding = new Uint8Array(filled < 56 ? 64 - filled : 128 - filled);
    const view = new DataView(padding.buffer);
    padding[0] = 0x80;
    // The length in bits; numbers are exact up to 2^53.
    view.setUint32(padding.length - 8, Math.floor(this.length / 0x20000000));
    view.setUint32(padding.length - 4, (this.length % 0x20000000) * 8);
    this.update(padding);
    const digest = new DataView(new ArrayBuffer(32));
    this.state.forEach((word, n) => digest.setInt32(4 * n, word));
    return new Uint8Array(digest.buffer);
  }

  /**
   * FIPS 180-4, 6.2.2.
   * @param {Uint8Array} bytes
   * @param {number} at
   */
  #block(bytes, at) {
    const w = this.schedule;
    for (let t = 0; t < 16; t++, at += 4) {
      w[t] = (bytes[at] << 24) | (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3];
    }
    for (let t = 16; t < 64; t++) {
      const x = w[t - 15];
      const y = w[t - 2];
      const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
      const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
      w[t] = (w[t - 16] + s0 + w[t - 7] + s1) | 0;
    }
    let [a, b, c, d, e, f, g, h] = this.state;
    for (let t = 0; t < 64; t++) {
      const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
      const t1 = (h + s1 + ((e & f) ^ (~e & g)) + SHA256_K[t] + w[t]) | 0;
      const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
      const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      h = g;
      g = f;
      f = e;
      e = (d + t1) | 0;
      d = c;
      c = b;
      b = a;
      a = (t1 + t2) | 0;
    }
    const words = [a, b, c, d, e, f, g, h];
    for (let n = 0; n < 8; n++) this.state[n] = (this.state[n] + words[n]) | 0;
  }
}

/**
 * The SHA-256 of some bytes, one part after the other.
 * @param {...Uint8Array} parts
 * @returns {Uint8Array} 32 bytes
 */
function sha256(...parts) {
  const hash = new Sha256();
  for (const part of parts) hash.update(part);
  return hash.digest();
}

/**
 * Bytes as lower-case hexadecimal digits.
 * @param {Uint8Array} bytes
 */
function hex(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
