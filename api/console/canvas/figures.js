// @ts-check
// Scores as figures: a bar for each, and the number beside it.

import { html } from "../vendor/preact.js";
import { t } from "../lib/i18n.js";
import { label } from "../lib/labels.js";

/** Whether all values of an object are between 0 and 1, or null. @param {any} value */
export function isScores(value) {
  if (!value || typeof value !== "object" || Array.isArray(value)) return false;
  const shares = Object.values(value);
  return shares.length > 1 && shares.some((it) => typeof it === "number") && shares.every((it) => it === null || (typeof it === "number" && it >= 0 && it <= 1));
}

/** @param {{scores: Record<string, number | null>}} props */
export function Scores({ scores }) {
  return html`<dl class="scores">${Object.entries(scores).map(([name, score]) => html`<div key=${name} class="score">
    <dt>${label(name)}</dt>
    <dd>${score === null ? html`<span class="quiet-text">${t("canvas.not_scored")}</span>`
      : html`<span class="score-track" aria-hidden="true"><span class="score-bar" data-level=${level(score)} style=${{ width: `${score * 100}%` }}></span></span><span class="number">${score.toFixed(2)}</span>`}</dd>
  </div>`)}</dl>`;
}

/** @param {number} score */
const level = (score) => (score >= 0.75 ? "good" : score >= 0.5 ? "warn" : "bad");
