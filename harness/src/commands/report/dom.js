"use strict";

// Making elements. What a ledger says is text that nobody here trusts: it reaches the page through
// text nodes only, with everything that could steer a reader's eye shown as an escape.

/**
 * @typedef {string | Node | null | undefined} Child
 * @typedef {Record<string, string | number | boolean | ((event: any) => void) | null | undefined>} Attributes
 *   a function is a listener for the event of its name
 */

/**
 * Adds attributes and children.
 * @template {Element} E
 * @param {E} element
 * @param {Attributes} attributes
 * @param {Child[]} children
 * @returns {E}
 */
function furnish(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) {
      element.setAttribute(name, String(value));
    }
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/**
 * An HTML element.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} name
 * @param {Attributes} [attributes]
 * @param {...Child} children
 */
function el(name, attributes = {}, ...children) {
  return furnish(document.createElement(name), attributes, children);
}

/**
 * An SVG element; the namespace comes from the one in the page.
 * @param {string} name
 * @param {Attributes} [attributes]
 * @param {...Child} children
 */
function svg(name, attributes = {}, ...children) {
  const { namespaceURI } = part("drawings");
  /** @type {Element} */
  const element = document.createElementNS(namespaceURI, name);
  return furnish(element, attributes, children);
}

/**
 * The part of the page with this id.
 * @param {string} id
 * @returns {any}
 */
function part(id) {
  return document.getElementById(id);
}

/**
 * Controls, format characters (bidi, zero width, tags), line and paragraph separators, what has no
 * glyph, and blanks: the characters that `axilog` escapes too, which a test of the page compares.
 */
const UNSEEN =
  /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}\u{2800}\u{13441}\u{13442}\u{16fe4}\u{1d159}]/gu;

/**
 * Text from a ledger, in which everything unseen is a visible escape such as \u{202e}.
 * @param {string} text
 * @param {{lines?: boolean}} [options] `lines` keeps line feeds as such
 * @returns {DocumentFragment}
 */
function visible(text, { lines = false } = {}) {
  const fragment = document.createDocumentFragment();
  let done = 0;
  for (const match of text.matchAll(UNSEEN)) {
    if (lines && match[0] === "\n") continue;
    fragment.append(text.slice(done, match.index), escapeMark(match[0]));
    done = match.index + match[0].length;
  }
  fragment.append(text.slice(done));
  return fragment;
}

/** @param {string} character */
function escapeMark(character) {
  const code = character.codePointAt(0) ?? 0;
  const text = character === "\n" ? "\\n" : `\\u{${code.toString(16)}}`;
  return el("span", { class: "escape" }, text);
}

/**
 * Bytes as text; those that are no UTF-8 are written \xNN.
 * @param {Uint8Array} bytes
 */
function visibleBytes(bytes) {
  try {
    return visible(UTF8.decode(bytes));
  } catch {
    const shown = (/** @type {number} */ byte) =>
      byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : `\\x${hex(Uint8Array.of(byte))}`;
    return el("span", {}, Array.from(bytes, shown).join(""));
  }
}

/**
 * The beginning of a text.
 * @param {string} text
 * @param {number} length in characters
 */
function excerpt(text, length) {
  // No character has more than two UTF-16 units.
  const characters = Array.from(text.slice(0, 2 * length + 2));
  return characters.length > length ? `${characters.slice(0, length).join("")}…` : text;
}

/**
 * A number in groups of three digits.
 * @param {number | bigint} number
 */
function grouped(number) {
  return String(number).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

/**
 * A number of things.
 * @param {number | bigint} number
 * @param {string} one
 * @param {string} [many]
 */
function count(number, one, many = `${one}s`) {
  return `${grouped(number)} ${Number(number) === 1 ? one : many}`;
}

/**
 * Things one after the other, as a sentence has them.
 * @param {string[]} things
 */
function enumerated(things) {
  const last = things[things.length - 1];
  return things.length < 2 ? last : `${things.slice(0, -1).join(", ")} and ${last}`;
}

/**
 * A raw Q16.16 value in decimal, exactly.
 * @param {number} raw
 */
function decimal(raw) {
  const magnitude = BigInt(Math.abs(raw));
  // 10^16 / 2^16: what one raw unit is in units of the 16th decimal.
  const digits = String((magnitude & 0xffffn) * 152587890625n).padStart(16, "0");
  const decimals = digits.replace(/0+$/, "");
  return `${raw < 0 ? "-" : ""}${magnitude >> 16n}${decimals && `.${decimals}`}`;
}
