// The page and the view that a renga brings to the console: node browser.mjs <address> <browser> [folder for pictures]
//
// Ends with status 0 when everything went as a person would want it, else with 1 and the first deviation.

import { launched, Page } from "../../../tests/clients/console_page.mjs";

const [address, path, pictures] = process.argv.slice(2);
const browser = await launched(path);
try {
  const page = await Page.open(browser, address);
  const seen = async (name) => { if (pictures) await page.tab.screenshot({ path: `${pictures}/${name}.png` }); };
  await page.press("link", "Season words");
  await page.reads("harvest moon");
  await seen("words");
  await page.press("link", "New session");
  await page.press("link", "Renga");
  await page.type("What is wanted", "Rain on the old pond");
  await page.press("button", "Start");
  await page.until("the run is done", () => document.querySelector("header")?.innerText.includes("Completed"));
  await page.find("figure", "Verse 1 of 3");
  await page.reads("looked up by the words of the message");
  await seen("sheet");
  await page.press("button", "中文");
  await page.find("figure", "第 1 节，共 3 节");
  await seen("chinese");
  await page.close();
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  await browser.close();
}
