// The page as people use it: with a keyboard, a screen reader, weak eyes, a phone.

import assert from "node:assert/strict";
import { after, afterEach, test } from "node:test";
import { findBarriers, stage } from "./support.js";

const { bench, url: rich, viewer, close } = await stage();

after(close);

// Whatever a test does, no page asks for anything and no script fails.
afterEach(async () => {
  assert.deepEqual(viewer.found(), []);
  for (const context of viewer.browser.contexts()) await context.close();
});

const PHONE = { viewport: { width: 375, height: 740 }, isMobile: true, hasTouch: true };

test("a keyboard is enough", async () => {
  const page = await viewer.open(rich);
  const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim() ?? "");
  await page.keyboard.press("Tab");
  assert.equal(await focused(), "Skip to the records");
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement?.id), "records");
  await page.keyboard.press("Tab");
  await page.keyboard.type("20");
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement?.id), "bytes-20");
  assert.equal(await page.locator("#bytes-20-shown").isVisible(), true);
  await page.keyboard.press("Space");
  assert.equal(await page.locator("#bytes-20-shown").count(), 0);
  assert.equal(await page.locator("#bytes-20").getAttribute("aria-expanded"), "false");
  // Every stop has a visible outline.
  const outline = await page.evaluate(
    () => getComputedStyle(/** @type {Element} */ (document.activeElement)).outlineStyle,
  );
  assert.equal(outline, "solid");
  await page.locator("#filter-outcome").focus();
  await page.keyboard.press("ArrowDown");
  const alarming = await page.locator("#table tbody").count();
  assert.equal(await page.locator("#table .badge.warn").count(), alarming);
  assert.match(await page.locator("#listed").innerText(), new RegExp(`^${alarming} steps`));
});

for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
  for (const [device, options] of Object.entries({ desktop: {}, phone: PHONE })) {
    test(`nothing bars anybody: axe-core, ${colorScheme}, ${device}`, async () => {
      const edited = bench.read("rich.jsonl");
      edited[9000] ^= 1;
      bench.write("bad.jsonl", edited);
      for (const url of [rich, bench.report("bad.jsonl")]) {
        const page = await viewer.open(url, { colorScheme, ...options });
        await page.locator("#checks summary").click();
        await page.locator("#bytes-5").click();
        await page.locator("#bytes-20").click();
        const { barriers, passed } = await findBarriers(page);
        assert.deepEqual(barriers, []);
        assert.ok(passed > 20);
        await page.context().close();
      }
    });
  }
}

test("a phone needs no sideways scrolling", async () => {
  for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
    const page = await viewer.open(rich, { ...PHONE, colorScheme });
    await page.locator("#checks summary").click();
    for (const number of [0, 5, 20]) await page.locator(`#bytes-${number}`).click();
    const { width, small } = await page.evaluate(() => ({
      width: document.documentElement.scrollWidth,
      small: [...document.querySelectorAll("main *")].filter(
        (element) =>
          element.textContent?.trim() && Number.parseFloat(getComputedStyle(element).fontSize) < 11,
      ).length,
    }));
    assert.equal(width, 375);
    assert.equal(small, 0);
    const drawn = await page.locator("#states svg").boundingBox();
    assert.ok(drawn && drawn.width <= 375 && drawn.height > 100);
  }
});

test("every character that is not seen is an escape, and no other is", async () => {
  const page = await viewer.open(rich);
  const shown = await page.evaluate(() => {
    const changed = [];
    for (let code = 0; code < 0x110000; code++) {
      const text = String.fromCodePoint(code);
      if (visible(text).textContent !== text) changed.push(code);
    }
    return changed;
  });
  // Ranges of the command's table, each by its first and its last.
  const escaped = [0, 0x1f, 0x7f, 0x85, 0x9f, 0xad, 0x34f, 0x61c, 0x115f, 0x180f, 0x200b, 0x200f];
  escaped.push(0x2028, 0x202e, 0x2060, 0x206f, 0x3164, 0xfe0f, 0xfeff, 0xffa0, 0xfff9, 0xe0fff);
  for (const code of [...escaped, 0xd800]) assert.ok(shown.includes(code), code.toString(16));
  const letters = [0x20, 0x7e, 0xa0, 0xe9, 0x301, 0x440, 0x200a, 0x2027, 0x3042, 0x1f600, 0x10ffff];
  for (const code of letters) assert.ok(!shown.includes(code), code.toString(16));
  assert.ok(shown.length > 6000 && shown.length < 6500, String(shown.length));
});

test("the page is not wider than a phone of 360 pixels, whatever the identities are", async () => {
  const PHONE_360 = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true };
  bench.run(["init", "wide.jsonl", "--time", "1000"]);
  const ids = ["W".repeat(256), `family/${"m".repeat(249)}`];
  bench.observe("wide.jsonl", '{"value": 12.5}', ids);
  bench.observe("wide.jsonl", `{"value": 99, "${"k".repeat(900)}": 1}`, ids);
  const page = await viewer.open(bench.report("wide.jsonl"), PHONE_360);
  for (const number of [5, 6, 7]) await page.locator(`#bytes-${number}`).click();
  const [width, screen] = await page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    return [scrollWidth, clientWidth];
  });
  assert.equal(width, screen);
  assert.equal(screen, 360);
});
