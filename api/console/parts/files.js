// @ts-check
/** Files that go with a message: chosen or dropped, kept at the server at once, each with the path it gets in the session. */
import { html, useRef, useState } from "../vendor/preact.js";
import { upload } from "../lib/api.js";
import { bytes } from "../lib/format.js";
import { t } from "../lib/i18n.js";
import { Icon } from "./icons.js";
import { complain } from "./toasts.js";

/** @typedef {{path: string, file: string, size: number}} Attached */

/** The path of a file: for a file of a folder, its path in the folder. @param {File} file */
const pathOf = (file) => file.webkitRelativePath || file.name;

/**
 * How files are added.
 * @param {(change: (files: Attached[]) => Attached[]) => void} setFiles
 */
export function useUploads(setFiles) {
  const [waiting, setWaiting] = useState(0);
  const add = async (/** @type {Iterable<File>} */ list) => {
    for (const file of list) {
      setWaiting((/** @type {number} */ n) => n + 1);
      try {
        const kept = await upload(file);
        setFiles((files) => [...files.filter((it) => it.path !== pathOf(file)), { path: pathOf(file), file: kept.file, size: kept.size }]);
      } catch (failure) {
        complain(failure);
      } finally {
        setWaiting((/** @type {number} */ n) => n - 1);
      }
    }
  };
  return { add, waiting };
}

/** @param {{label: string, add: (files: Iterable<File>) => void, small?: boolean}} props */
export function FileButton({ label, add, small }) {
  const input = useRef(/** @type {HTMLInputElement|null} */ (null));
  return html`<button type="button" class=${small ? "button quiet icon small" : "button"} aria-label=${small ? label : undefined} title=${label} onClick=${() => input.current?.click()}>
      <${Icon} name="clip" />${small ? null : label}</button>
    <input type="file" multiple hidden tabIndex=${-1} aria-hidden="true" ref=${input} onChange=${(/** @type {any} */ event) => { add([...event.target.files]); event.target.value = ""; }} />`;
}

/** Takes what is dropped on it. @param {(files: Iterable<File>) => void} add */
export function dropping(add) {
  return {
    onDragOver: (/** @type {DragEvent} */ event) => { if (event.dataTransfer?.types.includes("Files")) { event.preventDefault(); /** @type {HTMLElement} */ (event.currentTarget).classList.add("dropping"); } },
    onDragLeave: (/** @type {DragEvent} */ event) => /** @type {HTMLElement} */ (event.currentTarget).classList.remove("dropping"),
    onDrop: (/** @type {DragEvent} */ event) => {
      /** @type {HTMLElement} */ (event.currentTarget).classList.remove("dropping");
      if (!event.dataTransfer?.files.length) return;
      event.preventDefault();
      add([...event.dataTransfer.files]);
    },
  };
}

/** @param {{files: Attached[], setFiles: (change: (files: Attached[]) => Attached[]) => void, waiting: number, editable?: boolean}} props */
export function FileList({ files, setFiles, waiting, editable }) {
  if (!files.length && !waiting) return null;
  return html`<ul class="file-list" role="list" aria-label=${t("files.attached")}>${files.map((it, at) => html`<li class=${editable ? "file-row" : "chip flat"} key=${it.file + at}>
      <${Icon} name="file" />${editable
        ? html`<input class="input mono grow" aria-label=${t("files.path")} value=${it.path} onInput=${(/** @type {any} */ event) => setFiles((all) => all.map((other, place) => (place === at ? { ...other, path: event.target.value } : other)))} />`
        : html`<span class="ellipsis">${it.path}</span>`}
      <span class="quiet-text number">${bytes(it.size)}</span>
      <button type="button" class="button quiet icon small" aria-label=${t("files.remove", { path: it.path })} onClick=${() => setFiles((all) => all.filter((_, place) => place !== at))}><${Icon} name="cross" /></button></li>`)}
    ${waiting ? html`<li class="chip flat" role="status"><span class="spinner" aria-hidden="true"></span>${t("files.uploading", { n: waiting })}</li>` : null}</ul>`;
}

/** The files in the form that commands expect. @param {Attached[]} files */
export const attachments = (files) => files.map(({ path, file }) => ({ path: path.trim(), file }));
