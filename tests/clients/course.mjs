// A deck as its audience sees it: node course.mjs <deck.html> <browser> [folder for pictures]
//
// Prints one line of JSON: the pages with their texts and what is wrong with them, and what the browser complained about.

import { pathToFileURL } from "node:url";
import { join } from "node:path";
import puppeteer from "puppeteer-core";

const [deck, browserPath, pictures] = process.argv.slice(2);
if (!deck || !browserPath) {
  console.error("usage: node course.mjs <deck.html> <browser> [folder], such as node course.mjs out/deck.html /usr/bin/chromium");
  process.exit(2);
}

/** Pixels that a browser's rounding may add to a measured text. */
const SLACK = 2;

/** Runs in the page: what is wrong with the slide that is shown, at its own size of 1280 x 720. */
function look(slack) {
  const slide = document.querySelector(".slide.current");
  const page = slide.querySelector(".ppt-page-wrapper");
  const scale = page.getBoundingClientRect().width / 1280;
  const origin = page.getBoundingClientRect();
  const rect = (r) => ({
    left: (r.left - origin.left) / scale, top: (r.top - origin.top) / scale,
    right: (r.right - origin.left) / scale, bottom: (r.bottom - origin.top) / scale,
  });
  const wrong = [];
  const texts = [...page.querySelectorAll(".ppt-t")].filter((it) => it.textContent.trim());
  const inked = texts.map((element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    const lines = [...range.getClientRects()].filter((it) => it.width > 0).map(rect);
    return { element, box: rect(element.getBoundingClientRect()), lines, text: element.textContent.trim() };
  });
  for (const { element, box, lines, text } of inked) {
    const span = element.querySelector("span");
    if (span && span.scrollWidth > span.clientWidth + slack) wrong.push({ what: "cut off", text });
    for (const line of lines) {
      if (element.classList.contains("ppt-clip")) continue;
      if (line.bottom > box.bottom + slack || line.right > box.right + slack) wrong.push({ what: "overflow", text, line, box });
      if (line.left < -slack || line.top < -slack || line.right > 1280 + slack || line.bottom > 720 + slack)
        wrong.push({ what: "off the page", text, line });
    }
  }
  inked.forEach((one, n) => {
    for (const other of inked.slice(n + 1))
      for (const a of one.lines)
        for (const b of other.lines) {
          const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
          const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
          // Lines are higher than their ink.
          if (wide > slack && high > 8) wrong.push({ what: "overlap", text: one.text, other: other.text });
        }
  });
  const note = slide.querySelector(".note")?.textContent.trim() ?? "";
  return { layout: page.dataset.layout, texts: inked.map((it) => it.text), note, wrong };
}

const browser = await puppeteer.launch({
  executablePath: browserPath,
  args: ["--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-background-networking"],
});
try {
  const tab = await browser.newPage();
  await tab.setViewport({ width: 1280, height: 720 });
  const complaints = [];
  tab.on("console", (it) => ["error", "warn"].includes(it.type()) && complaints.push(it.text()));
  tab.on("pageerror", (it) => complaints.push(String(it)));
  const requests = [];
  tab.on("request", (it) => requests.push(it.url()));
  const address = pathToFileURL(deck).href;
  await tab.goto(address);
  const count = await tab.$$eval(".slide", (slides) => slides.length);
  const pages = [];
  for (let n = 1; n <= count; n += 1) {
    if (n > 1) await tab.keyboard.press("ArrowRight");
    await tab.waitForSelector(`.slide.current[aria-label^="${n} /"]`);
    pages.push(await tab.evaluate(look, SLACK));
    if (pictures) await tab.screenshot({ path: join(pictures, `page-${n}.png`) });
  }
  const elsewhere = requests.filter((it) => it !== address && !it.startsWith("data:"));
  console.log(JSON.stringify({ pages, complaints, elsewhere }));
} finally {
  await browser.close();
}
