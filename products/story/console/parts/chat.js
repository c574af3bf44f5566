// @ts-check
/** The chat about a story: the messages, the results of agents, and the field for the next message. */
import { html, useEffect, useLayoutEffect, useRef, useState } from "../../../vendor/preact.js";
import { useDraft } from "../../../lib/drafts.js";
import { useFetched } from "../../../lib/fetched.js";
import { t } from "../../../lib/i18n.js";
import { route, turn } from "../../../lib/router.js";
import { ALL, of } from "../resources.js";
import { chatOf } from "../chat.js";
import { Icon } from "../../../parts/icons.js";
import { complain } from "../../../parts/toasts.js";
import { messagePlace, settingsPlace } from "./finding.js";
import { Turn } from "./turn.js";

/** Pixels from the end within which a person counts as reading the newest message. */
const NEAR_PX = 80;

/** The least and the most words that a message may ask for. */
const WORDS = { min: 1, max: 20_000 };

/** @param {{story: string}} props */
export function Chat({ story }) {
  const chat = chatOf(story);
  const chapters = useFetched(`${of(story)}/chapters?${ALL}`).value?.content ?? [];
  const box = useRef(/** @type {HTMLElement|null} */ (null));
  const isAtEnd = useRef(true);
  const turns = chat.turns.value;
  useEffect(() => { void chat.open(); }, [story]);
  // A person who reads further up stays there.
  useLayoutEffect(() => { if (box.current && isAtEnd.current) box.current.scrollTop = box.current.scrollHeight; }, [turns]);
  useEffect(() => { isAtEnd.current = true; }, [turns.length]);
  const look = (/** @type {any} */ { target }) => { isAtEnd.current = target.scrollHeight - target.scrollTop - target.clientHeight < NEAR_PX; };
  return html`<div class="story-chat">
    <div class="chat-turns" ref=${box} onScroll=${look} role="region" tabIndex=${0} aria-label=${t("chat.title")}>
      ${turns.length ? turns.map((it) => html`<${Turn} key=${it.id} story=${story} chat=${chat} turn=${it} chapters=${chapters} />`)
        : chat.isOpen.value ? html`<div class="empty"><${Icon} name="chat" /><p>${t("chat.none")}</p><p class="quiet-text">${t("chat.none_hint")}</p></div>`
        : html`<div class="empty" role="status" aria-busy="true"><span class="spinner large" aria-hidden="true"></span><span class="sr-only">${t("loading")}</span></div>`}
      ${chat.session.value ? html`<p class="chat-whole"><a class="quiet-text" href=${`#/s/${encodeURIComponent(chat.session.value)}`}>${t("chat.whole")}</a></p>` : null}
    </div>
    <${Composer} story=${story} chat=${chat} chapters=${chapters} />
  </div>`;
}

/** @typedef {{check: boolean, search: boolean, scene: string, words: string}} Settings */

/** @type {Settings} */
const USUAL = { check: true, search: true, scene: "", words: "" };

/** The fields of a request for these settings; default values are left out. @param {Settings} settings */
function fieldsOf({ check, search, scene, words }) {
  return {
    ...(check ? {} : { consistency: false }), ...(search ? {} : { ragEnabled: false }),
    ...(scene ? { chapterId: scene } : {}), ...(Number(words) ? { targetWordCount: Number(words) } : {}),
  };
}

/** @param {{story: string, chat: import("../chat.js").StoryChat, chapters: any[]}} props */
function Composer({ story, chat, chapters }) {
  const [text, setText] = useDraft(messagePlace(story), "");
  const [settings, setSettings] = useDraft(settingsPlace(story), USUAL);
  const [isCancelling, setCancelling] = useState(false);
  const box = useRef(/** @type {HTMLTextAreaElement|null} */ (null));
  const { scene } = route.value.query;
  useEffect(() => {
    if (!scene) return;
    // A message about a finding selects the chapter of the finding.
    setSettings((/** @type {Settings} */ before) => ({ ...before, scene }));
    turn({ scene: "" });
    box.current?.focus();
  }, [scene]);
  const isWorking = chat.working;
  const send = () => {
    const said = text.trim();
    if (!said || isWorking) return;
    setText("");
    void chat.say(said, fieldsOf(settings));
  };
  const cancel = async () => {
    setCancelling(true);
    try {
      await chat.cancel();
    } catch (failure) {
      complain(failure);
    } finally {
      setCancelling(false);
    }
  };
  const keys = (/** @type {KeyboardEvent} */ event) => {
    // An Enter that confirms a word of an input method (for Chinese) does not send the message.
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing && event.keyCode !== 229) { event.preventDefault(); send(); }
  };
  const put = (/** @type {Partial<Settings>} */ changed) => setSettings((/** @type {Settings} */ before) => ({ ...before, ...changed }));
  const check = (/** @type {"check"|"search"} */ name) => html`<label class="check"><input type="checkbox" checked=${settings[name]} onChange=${(/** @type {any} */ event) => put({ [name]: event.target.checked })} /> <span>${t(`chat.${name}`)}</span></label>`;
  return html`<form class="composer story-composer" aria-label=${t("chat.message")} onSubmit=${(/** @type {Event} */ event) => { event.preventDefault(); send(); }}>
    <textarea class="composer-text" ref=${box} rows=${Math.min(8, Math.max(2, text.split("\n").length))} maxLength=${20_000} aria-label=${t("chat.message")} placeholder=${t("chat.hint")} value=${text} onInput=${(/** @type {any} */ event) => setText(event.target.value)} onKeyDown=${keys}></textarea>
    <details class="chat-settings"><summary>${t("chat.settings")}</summary><div class="row wrap">
      ${check("check")}${check("search")}
      <label class="row"><span class="label">${t("chat.scene")}</span><select class="select small" value=${settings.scene} onChange=${(/** @type {any} */ event) => put({ scene: event.target.value })}><option value="">${t("chat.no_scene")}</option>
        ${chapters.map((it) => html`<option key=${it.id} value=${it.id} selected=${it.id === settings.scene}>${t("finding.where", { n: it.chapterOrder, title: it.title })}</option>`)}</select></label>
      <label class="row"><span class="label">${t("chat.words")}</span><input class="input chat-words" type="number" min=${WORDS.min} max=${WORDS.max} value=${settings.words} onInput=${(/** @type {any} */ event) => put({ words: event.target.value })} /></label></div></details>
    <div class="row"><span class="quiet-text grow ellipsis">${settings.scene ? sceneName(chapters, settings.scene) : ""}</span>
      ${isWorking ? html`<button type="button" class="button" disabled=${isCancelling} onClick=${cancel}><${Icon} name="stop" />${t(isCancelling ? "chat.cancelling" : "chat.cancel")}</button>` : null}
      <button class="button primary icon" disabled=${!text.trim() || isWorking} aria-label=${t("send")} title=${t("send")}><${Icon} name="send" /></button></div></form>`;
}

/** @param {any[]} chapters @param {string} id */
function sceneName(chapters, id) {
  const it = chapters.find((row) => row.id === id);
  return it ? `${t("chat.scene")}: ${t("finding.where", { n: it.chapterOrder, title: it.title })}` : "";
}
