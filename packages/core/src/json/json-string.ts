/** A text as JSON. Most pieces of a stream need no escapes, which is found out faster than it is done. */

/** What is written with escapes; of surrogates, only those that stand alone, which is left to the platform. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what JSON does not take unescaped
const escaped = /["\\\u0000-\u001f\ud800-\udfff]/

export function jsonString(text: string): string {
  return escaped.test(text) ? JSON.stringify(text) : `"${text}"`
}

/** The same without its quotes, for those who have them in what they write around it. */
export function escapeJson(text: string): string {
  return escaped.test(text) ? JSON.stringify(text).slice(1, -1) : text
}
