// What does harm where it is taken for markup, and how its traces are found in a page.

import { equal, expect } from "./console_page.mjs";

/** If any of this runs, it leaves a trace that is looked for: a mark on a window, a dialog, or a request to an unused address. */
export const ACT = "window.harmed=1;try{top.harmed=1}catch{};alert(1);fetch('http://127.0.0.1:9/harm')";
export const PICTURE = `<img src=x onerror="${ACT}">`;

/** Waits until nothing is being fetched or drawn. */
export async function settled(page) {
  await page.until("everything is drawn", () => !document.querySelector("[aria-busy=true]"));
  await page.frame();
}

/** Looks for traces in the page and its frames, and at where its links lead. */
export async function harmless(page) {
  for (const frame of page.tab.frames()) {
    const traces = await frame.evaluate(() => ({ harmed: window.harmed ?? null, scripts: [...document.scripts].filter((it) => !it.src && frameElement === null && top === window).length })).catch(() => ({ harmed: null, scripts: 0 }));
    equal(traces, { harmed: null, scripts: 0 }, `nothing ran in ${frame.url()}`);
  }
  const found = await page.tab.evaluate(() => {
    const links = [...document.querySelectorAll("a[href], area[href], form[action], iframe[src], object, embed, base, meta[http-equiv]")];
    const wrong = links.filter((it) => {
      if (["OBJECT", "EMBED", "BASE", "META"].includes(it.tagName)) return true;
      const address = it.getAttribute("href") ?? it.getAttribute("src") ?? it.getAttribute("action");
      return !["http:", "https:", "mailto:"].includes(new URL(address, location.href).protocol) || (it.tagName === "IFRAME" && new URL(address, location.href).origin !== location.origin);
    });
    const handlers = [...document.querySelectorAll("*")].filter((it) => [...it.attributes].some(({ name }) => /^on/i.test(name)));
    const loose = [...document.querySelectorAll("iframe")].filter((it) => !it.hasAttribute("sandbox") || /allow-same-origin/.test(it.sandbox.value));
    return [...wrong, ...handlers, ...loose].map((it) => it.outerHTML.slice(0, 200));
  });
  equal(found, [], "nothing leads anywhere that it should not");
  expect(page.tab.frames().length < 40, "frames are not piled up", page.tab.frames().length);
}
