// @ts-check
/** The frame of every page: the rail with its links, the state of the connection, the dialog for the key, and the messages. */
import { html, useEffect, useState } from "./vendor/preact.js";
import { giveKey, key, keyWanted } from "./lib/api.js";
import { nextTry, reconnections, status } from "./lib/connection.js";
import { pages as ofFolders } from "./lib/folders.js";
import { language, setLanguage, t } from "./lib/i18n.js";
import { route } from "./lib/router.js";
import { setTheme, theme } from "./lib/theme.js";
import { Dialog, Questions } from "./parts/dialog.js";
import { Icon } from "./parts/icons.js";
import { Lazy } from "./parts/lazy.js";
import { useNow } from "./parts/now.js";
import { Toasts, tell } from "./parts/toasts.js";
import { Sessions } from "./views/sessions.js";

const ICON = new URL("icon.svg", import.meta.url).href;

const session = () => import("./views/session/index.js").then((it) => it.Session);

/** @type {import("./lib/folders.js").FolderPage[]} */
const first = [
  { place: "new", title: "new.title", label: "new.short", icon: "plus", load: () => import("./views/new.js").then((it) => it.New) },
];
/** @type {import("./lib/folders.js").FolderPage[]} */
const last = [
  { place: "operations", title: "operations.title", label: "operations.title", icon: "gauge", load: () => import("./views/operations.js").then((it) => it.Operations) },
];

/** The pages in the order of the rail; the list of sessions stands above them. */
const pages = () => [...first, ...ofFolders, ...last];

export function App() {
  const [place, name] = route.value.path;
  const page = pages().find((it) => it.place === place);
  const titlesItself = place === "s" || Boolean(page?.one && name);
  // A page that goes on after its place without another page for it, such as the form of a new session, moves the focus itself.
  useEffect(() => { document.getElementById("main")?.focus({ preventScroll: true }); }, [place, titlesItself && name]);
  // A person who sees the list will probably open a session next.
  useEffect(() => { const soon = setTimeout(() => void session().catch(() => {}), 800); return () => clearTimeout(soon); }, []);
  useEffect(() => { if (!titlesItself) document.title = `${t(page?.title ?? "sessions.title")} · Palimpsest`; }, [place, name, language.value]);
  return html`
    <a class="skip" href="#main" onClick=${(/** @type {Event} */ event) => { event.preventDefault(); document.getElementById("main")?.focus(); }}>${t("skip")}</a>
    <div class="app">
      <${Rail} place=${place} />
      <main id="main" class="page" tabIndex=${-1}>
        <${Connection} />
        ${place === "s" && name ? html`<${Lazy} key=${name} load=${session} heading=${t("session")} session=${name} />`
          : page ? html`<${Shown} key=${page.one && name ? `${place} ${name}` : place} page=${page} path=${route.value.path.slice(1)} />`
          : html`<${Sessions} />`}
      </main>
    </div>
    <${Toasts} />
    <${Questions} />
    ${keyWanted.value ? html`<${KeyDialog} refused=${keyWanted.value.refused} />` : null}`;
}

/** @param {{page: import("./lib/folders.js").FolderPage, path: string[]}} props */
function Shown({ page, path }) {
  const { load, title } = path.length && page.one ? page.one : page;
  return html`<${Lazy} load=${load} heading=${t(title)} path=${path} />`;
}

/** @param {{place: string|undefined}} props */
function Rail({ place }) {
  const way = (/** @type {string} */ href, /** @type {string} */ icon, /** @type {string} */ label, /** @type {boolean} */ here) => html`
    <a class="rail-way" href=${href} aria-current=${here ? "page" : undefined} title=${label}><${Icon} name=${icon} /><span>${label}</span></a>`;
  const next = /** @type {any} */ ({ system: "light", light: "dark", dark: "system" })[theme.value];
  const themeIcon = /** @type {any} */ ({ system: "auto", light: "sun", dark: "moon" })[theme.value];
  return html`<nav class="rail" aria-label=${t("rail")}>
    <a class="rail-mark" href="#/" aria-label="Palimpsest"><img src=${ICON} alt="" width="26" height="26" /></a>
    ${way("#/", "list", t("sessions.title"), !place || place === "s")}
    ${pages().map((it) => it.label && way(`#/${it.place}`, it.icon ?? "dot", t(it.label), place === it.place))}
    <span class="grow"></span>
    <button class="rail-way" onClick=${() => setTheme(next)} title=${t("theme.label", { now: t(`theme.${theme.value}`) })}
      aria-label=${t("theme.label", { now: t(`theme.${theme.value}`) })}><${Icon} name=${themeIcon} /><span aria-hidden="true">${t(`theme.${theme.value}`)}</span></button>
    <button class="rail-way" onClick=${() => setLanguage(language.value === "zh" ? "en" : "zh")} lang=${language.value === "zh" ? "en" : "zh-CN"}
      title=${language.value === "zh" ? "English" : "中文"}><b class="rail-letter" aria-hidden="true">${language.value === "zh" ? "EN" : "中"}</b><span>${language.value === "zh" ? "English" : "中文"}</span></button>
    <span class=${`rail-state ${status.value}`} role="img" aria-label=${t(`connection.${status.value}`)} title=${t(`connection.${status.value}`)}></span>
  </nav>`;
}

/** Says when the connection is lost, and that it is back. */
function Connection() {
  const [late, setLate] = useState(false);
  const lost = status.value !== "open";
  const now = useNow(lost, 500);
  useEffect(() => {
    // A short interruption of the network is not shown.
    if (!lost) { setLate(false); return undefined; }
    const patience = setTimeout(() => setLate(true), 900);
    return () => clearTimeout(patience);
  }, [lost]);
  useEffect(() => {
    if (reconnections.value) tell({ tone: "good", text: t("connection.again", { n: reconnections.value }) });
  }, [reconnections.value]);
  if (!lost || !late || keyWanted.value) return null;
  const seconds = nextTry.value ? Math.max(0, Math.ceil((nextTry.value - now) / 1000)) : 0;
  return html`<div class="banner warn" role="status"><span class="spinner" aria-hidden="true"></span>
    <span class="grow">${t("connection.lost")} ${seconds ? html`<span class="muted" aria-hidden="true">${t("connection.next", { n: seconds })}</span>` : null}</span>
    <button class="button small" onClick=${() => dispatchEvent(new Event("online"))}>${t("connection.now")}</button></div>`;
}

/** @param {{refused: boolean}} props */
function KeyDialog({ refused }) {
  const [secret, setSecret] = useState("");
  return html`<${Dialog} title=${t("key.title")} onClose=${() => {}} keep=${true}>
    <form class="stack" onSubmit=${(/** @type {Event} */ event) => { event.preventDefault(); if (secret.trim()) giveKey(secret.trim()); }}>
      <p class="muted">${t("key.why")}</p>
      ${refused ? html`<p class="problem" role="alert"><${Icon} name="alert" /> ${t("key.refused")}</p>` : null}
      <label class="field"><span class="label">${t("key.label")}</span>
        <input class="input mono" type="password" autocomplete="off" spellcheck=${false} value=${secret} autofocus
          onInput=${(/** @type {any} */ event) => setSecret(event.target.value)} /></label>
      <div class="dialog-foot"><button class="button primary" disabled=${!secret.trim()}>${t("key.use")}</button></div>
    </form>
  </${Dialog}>`;
}
