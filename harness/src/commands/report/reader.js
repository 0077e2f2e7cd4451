"use strict";

// The strict reader of canonical bytes: exactly what is expected, or a refusal. Nothing here is
// tolerant; a ledger line and the records in it have fixed shapes.

/** Bytes that are not what their place asks for. */
class NotCanonical extends Error {}

const ASCII = new TextEncoder();
const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The bytes of an ASCII text, made once per text. */
const bytesOf = (() => {
  const known = new Map();
  return (/** @type {string} */ text) => {
    let bytes = known.get(text);
    if (!bytes) known.set(text, (bytes = ASCII.encode(text)));
    return bytes;
  };
})();

/**
 * Whether two byte strings are the same.
 * @param {Uint8Array} a
 * @param {Uint8Array} b
 */
function sameBytes(a, b) {
  return a.length === b.length && a.every((byte, n) => byte === b[n]);
}

const U64_MAX = 2n ** 64n - 1n;
const I64_MAX = 2n ** 63n - 1n;
const I32_MAX = 2n ** 31n - 1n;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** A position in bytes. Every method throws NotCanonical where something else stands. */
class Reader {
  /** @param {Uint8Array} bytes */
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }

  /**
   * Whether `text` comes next; it is skipped then.
   * @param {string} text
   */
  skips(text) {
    const expected = bytesOf(text);
    for (let n = 0; n < expected.length; n++) {
      if (this.bytes[this.at + n] !== expected[n]) return false;
    }
    this.at += expected.length;
    return true;
  }

  /** @param {string} text what must come next */
  literal(text) {
    if (!this.skips(text)) throw new NotCanonical();
  }

  /**
   * The one of `texts` that comes next.
   * @template {string} T
   * @param {readonly T[]} texts
   */
  oneOf(texts) {
    for (const text of texts) if (this.skips(text)) return text;
    throw new NotCanonical();
  }

  /** Nothing may follow. */
  end() {
    if (this.at !== this.bytes.length) throw new NotCanonical();
  }

  /** A decimal integer of 64 bits without sign or leading zeros. */
  u64() {
    const start = this.at;
    while (this.bytes[this.at] >= 0x30 && this.bytes[this.at] <= 0x39) this.at += 1;
    const digits = this.at - start;
    if (digits === 0 || digits > 20 || (digits > 1 && this.bytes[start] === 0x30)) {
      throw new NotCanonical();
    }
    const value = BigInt(UTF8.decode(this.bytes.subarray(start, this.at)));
    if (value > U64_MAX) throw new NotCanonical();
    return value;
  }

  /**
   * `null`, or an integer from 0 to `max`.
   * @param {bigint} max
   */
  integerOrNull(max) {
    if (this.skips("null")) return null;
    const value = this.u64();
    if (value > max) throw new NotCanonical();
    return value;
  }

  /** A decimal integer of 32 bits with an optional minus sign; `-0` is not one. */
  i32() {
    const negative = this.skips("-");
    const magnitude = this.u64();
    if (negative ? magnitude === 0n || magnitude > I32_MAX + 1n : magnitude > I32_MAX) {
      throw new NotCanonical();
    }
    return Number(negative ? -magnitude : magnitude);
  }

  /** A quoted digest of 64 lower-case hexadecimal digits, as text. */
  hash() {
    this.literal('"');
    for (let n = 0; n < 64; n++) {
      const digit = this.bytes[this.at + n];
      if (!((digit >= 0x30 && digit <= 0x39) || (digit >= 0x61 && digit <= 0x66))) {
        throw new NotCanonical();
      }
    }
    const digits = UTF8.decode(this.bytes.subarray(this.at, this.at + 64));
    this.at += 64;
    this.literal('"');
    return digits;
  }

  /** What stands before the next quote, which is skipped; for names of ASCII. */
  untilQuote() {
    const end = this.bytes.indexOf(QUOTE, this.at);
    if (end < 0) throw new NotCanonical();
    let text = "";
    for (; this.at < end; this.at++) text += String.fromCharCode(this.bytes[this.at]);
    this.at += 1;
    return text;
  }

  /**
   * A quoted string of admissible text in canonical escapes.
   * @param {boolean} lineFeeds whether it may hold line feeds
   * @returns {{text: string, size: number, lineEnds: "none" | "short" | "long"}} `size` is that of
   *   the unescaped text in bytes; `lineEnds` is how line feeds are written, `\n` or `\u000a`
   */
  string(lineFeeds) {
    this.literal('"');
    let text = "";
    let size = 0;
    /** @type {"none" | "short" | "long"} */
    let lineEnds = "none";
    for (;;) {
      const start = this.at;
      while (
        this.at < this.bytes.length &&
        this.bytes[this.at] !== QUOTE &&
        this.bytes[this.at] !== BACKSLASH
      ) {
        this.at += 1;
      }
      const piece = this.bytes.subarray(start, this.at);
      text += admissible(piece);
      size += piece.length;
      if (this.skips('"')) return { text, size, lineEnds };
      const escape = this.oneOf(['\\"', "\\\\", "\\n", "\\u000a"]);
      if (escape === "\\n" || escape === "\\u000a") {
        const written = escape === "\\n" ? "short" : "long";
        if (!lineFeeds || (lineEnds !== "none" && lineEnds !== written)) throw new NotCanonical();
        lineEnds = written;
        text += "\n";
      } else {
        text += escape[1];
      }
      size += 1;
    }
  }
}

/**
 * The text of a piece of a string: UTF-8, in NFC, at most 30 marks in a row, no control character
 * below U+0020. Throws NotCanonical for anything else.
 * @param {Uint8Array} bytes
 */
function admissible(bytes) {
  let highest = 0;
  for (const byte of bytes) {
    if (byte < 0x20) throw new NotCanonical();
    highest |= byte;
  }
  let text;
  try {
    text = UTF8.decode(bytes);
  } catch {
    throw new NotCanonical();
  }
  if (highest >= 0x80 && (text.normalize("NFC") !== text || hasManyMarks(text))) {
    throw new NotCanonical();
  }
  return text;
}

/**
 * Whether more than 30 characters of a combining class other than zero follow one another.
 * @param {string} text in NFC
 */
function hasManyMarks(text) {
  for (const [run] of text.matchAll(/\p{M}{31,}/gu)) {
    let marks = 0;
    for (const mark of run) {
      marks = combines(mark) ? marks + 1 : 0;
      if (marks > 30) return true;
    }
  }
  return false;
}

/**
 * Whether a mark's combining class is not zero: then it changes places with a mark of the lowest
 * class (U+0334) after it, or with one of the highest (U+0345) before it.
 * @param {string} mark
 */
function combines(mark) {
  const moves = (/** @type {string} */ pair) => pair.normalize("NFC") !== pair;
  return moves(`${mark}\u0334`) || moves(`\u0345${mark}`);
}
