// @ts-check
/** What products bring to the console: pages, views of artifacts, and words. The page names a folder of each; its entry module says what is in it. */
import { tell } from "../parts/toasts.js";
import { addWords, t } from "./i18n.js";

/**
 * @typedef {() => Promise<any>} Loader loads a component when it is first shown
 *
 * @typedef {object} FolderPage everything at `#/<place>`
 * @property {string} place
 * @property {string} title the key of its heading, and of its title in the window
 * @property {string} [label] the key of its name in the rail, which leads to no page without one
 * @property {string} [icon] its sign in the rail, of `parts/icons.js`
 * @property {Loader} load its component, which gets the parts of the address after the place as `path`
 * @property {{title: string, load: Loader}} [one] what is shown instead where the address goes on after the place; it titles the window itself
 *
 * @typedef {object} FolderView a view of artifacts on the canvas, whose name there is the text `canvas.view.<name>`
 * @property {string} name
 * @property {number} [order] views with a smaller number are asked first; 0 where it is absent. A view that fits much has a large one
 * @property {(value: any, artifact: import("../canvas/content.js").Artifact) => boolean} shows whether it fits; `value` is the content where it is JSON and there
 * @property {Loader} load its component, which gets `model`, `artifact`, `value`, `text` and `onFocus`
 * @property {string[]} [beside] the views that can be chosen beside it, if not those of any other artifact of its type
 * @property {(value: any) => string} [prose] the text in which two versions are compared, instead of their JSON
 * @property {(model: any, one: any, other: any) => {left?: any, right?: any}[]} [pictures] the artifacts of pictures that are compared below the text
 * @property {Loader} [compare] the component in which two versions are compared; it gets `model`, the artifacts `left` and `right`, their contents `one` and `other`
 *
 * @typedef {{en: Record<string, string>, zh: Record<string, string>}} Words
 * @typedef {{pages?: FolderPage[], views?: FolderView[], words?: Words}} Folder the default export of `index.js`
 */

/** @type {FolderPage[]} */
export const pages = [];
/** In the order in which they are asked. @type {FolderView[]} */
export const views = [];

/** Loads the entry modules of all folders. A folder that fails is told to the person, and the others are there nevertheless. */
export async function loadFolders() {
  const links = [.../** @type {NodeListOf<HTMLLinkElement>} */ (document.querySelectorAll("link[data-folder]"))];
  const loaded = await Promise.allSettled(links.map((link) => import(link.href)));
  for (const [n, link] of links.entries()) {
    const { folder: name = "", places = "" } = link.dataset;
    try {
      const it = loaded[n];
      if (it.status === "rejected") throw it.reason;
      add(it.value.default, places.split(" "));
    } catch (failure) {
      console.error(failure);
      const hint = String(/** @type {any} */ (failure)?.message ?? failure);
      tell({ tone: "bad", text: t("folder.failed", { name }), hint, action: { label: t("reload"), run: () => location.reload() } });
    }
  }
}

/** All of a folder, or nothing of it. @param {Folder} folder @param {string[]} places those that it may have pages at */
function add(folder, places) {
  const stray = folder.pages?.find((it) => !places.includes(it.place));
  if (stray) throw new Error(`its page at “${stray.place}” is not among the places of the folder`);
  const same = folder.views?.find((it) => view(it.name));
  if (same) throw new Error(`there is a view “${same.name}” already`);
  if (folder.words) addWords(folder.words);
  pages.push(...(folder.pages ?? []));
  views.push(...(folder.views ?? []));
  views.sort((a, b) => (a.order ?? 0) - (b.order ?? 0));
}

/** The view of this name, if a folder brought it. @param {string} name */
export const view = (name) => views.find((it) => it.name === name);
