// @ts-check

/**
 * The Markdown in a JSON content.
 * @param {any} value
 * @returns {{title: string, text: string} | null}
 */
export function documentIn(value) {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return null;
  const text = [value.content, value.markdown].find((it) => typeof it === "string");
  return text === undefined ? null : { title: typeof value.title === "string" ? value.title : "", text };
}
