// @ts-check
/** The versions of a chapter: any two can be compared, and one can be restored as the draft or accepted. */
import { html } from "../../../vendor/preact.js";
import { Differences } from "../../../canvas/differences.js";
import { useFetched } from "../../../lib/fetched.js";
import { ago, moment, number } from "../../../lib/format.js";
import { named, t } from "../../../lib/i18n.js";
import { route, turn } from "../../../lib/router.js";
import { ALL, change, ofChapter } from "../resources.js";
import { Broken, Loading } from "../../../parts/lazy.js";
import { Menu } from "../../../parts/menu.js";
import { complain, tell } from "../../../parts/toasts.js";

/** @param {{story: string, chapter: any, onAccept: (version: number) => void}} props */
export function Versions({ story, chapter, onAccept }) {
  const path = `${ofChapter(story, chapter.id)}/snapshots`;
  const list = useFetched(`${path}?${ALL}&draft=${chapter.draftVersion}`);
  if (list.failure && !list.value) return html`<${Broken} error=${list.failure} retry=${list.again} />`;
  if (!list.value) return html`<${Loading} />`;
  const rows = list.value.content;
  const numbers = rows.map((/** @type {any} */ it) => it.version);
  if (!rows.length) return html`<div class="empty"><p>${t("version.none")}</p></div>`;
  const chosen = (/** @type {string|undefined} */ asked, /** @type {number} */ otherwise) => (numbers.includes(Number(asked)) ? Number(asked) : otherwise);
  const right = chosen(route.value.query.right, numbers[0]);
  const left = chosen(route.value.query.left, numbers[1] ?? numbers[0]);
  const restore = async (/** @type {number} */ version) => {
    try {
      await change("POST", `${path}/${version}/restore`);
      tell({ tone: "good", text: t("version.restored", { n: version }) });
    } catch (failure) {
      complain(failure);
    }
  };
  const radio = (/** @type {string} */ side, /** @type {number} */ version, /** @type {number} */ now) => html`<input type="radio" name=${`version-${side}`} aria-label=${`${t(`version.${side}`)}: ${t("version.n", { n: version })}`} checked=${version === now} onChange=${() => turn({ [side]: version })} />`;
  return html`<div class="versions">
    <div class="table-scroll versions-table" tabIndex=${0} role="region" aria-label=${t("version.table")}><table><thead><tr><th scope="col">${t("version.left")}</th><th scope="col">${t("version.right")}</th><th scope="col">${t("version")}</th><th scope="col">${t("version.when")}</th><th scope="col">${t("version.why")}</th><th scope="col" class="right">${t("version.words")}</th><th scope="col"><span class="sr-only">${t("more")}</span></th></tr></thead>
      <tbody>${rows.map((/** @type {any} */ it) => html`<tr key=${it.version}><td>${radio("left", it.version, left)}</td><td>${radio("right", it.version, right)}</td>
        <td class="number">${it.version} ${it.isDraft ? html`<span class="badge warn">${t("version.is_draft")}</span>` : null} ${it.isAccepted ? html`<span class="badge good">${t("version.is_accepted")}</span>` : null}</td>
        <td title=${moment(it.createdAt)}>${ago(it.createdAt)}</td><td>${named("trigger", it.trigger)}${it.description ? html` <span class="quiet-text">${it.description}</span>` : null}</td><td class="right number">${number(it.wordCount)}</td>
        <td class="right"><${Menu} label=${t("version.more", { n: it.version })} icon="more" small=${true} items=${[
          !it.isAccepted && { label: t("chapter.accept_version", { n: it.version }), icon: "check", run: () => onAccept(it.version) },
          !it.isDraft && { label: t("version.restore"), icon: "again", disabled: chapter.locked, run: () => void restore(it.version) },
          { label: t("version.read"), icon: "eye", run: () => turn({ left: it.version, right: it.version }) }]} /></td></tr>`)}</tbody></table></div>
    ${numbers.length < 2 ? html`<p class="quiet-text">${t("version.one")}</p>` : null}
    <${Beside} key=${`${left} ${right}`} path=${path} left=${left} right=${right} /></div>`;
}

/** @param {{path: string, left: number, right: number}} props */
function Beside({ path, left, right }) {
  const one = useFetched(`${path}/${left}`);
  const other = useFetched(`${path}/${right}`);
  const failed = [one, other].find((it) => it.failure && !it.value);
  if (failed) return html`<${Broken} error=${failed.failure} retry=${failed.again} />`;
  if (!one.value || !other.value) return html`<${Loading} />`;
  if (left === right) return html`<section class="compare version-alone" aria-label=${t("version.n", { n: left })}><pre class="story-prose version-text" tabIndex=${0}>${one.value.content}</pre></section>`;
  return html`<section class="compare" aria-label=${t("version.side", { left, right })}><div class="compare-names quiet-text"><span>${t("version.n", { n: left })}</span><span>${t("version.n", { n: right })}</span></div>
    <${Differences} left=${one.value.content} right=${other.value.content} /></section>`;
}
