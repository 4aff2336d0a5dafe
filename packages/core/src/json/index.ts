/** `@toolwire/core/json`: helpers for JSON objects from untrusted sources, and for scanning JSON text without parsing. */

export { type KnownOptions, refuseUnknownOptions } from './known-options.ts'
export {
  append,
  compact,
  type Draft,
  isObject,
  isSame,
  type JsonObject,
  omit,
  own,
  setOwn,
} from './object.ts'
export {
  closingQuote,
  countJsonNodes,
  createJsonMeter,
  type JsonExcess,
  type JsonMeter,
  jsonExcess,
  jsonString,
  measureJson,
  parseJson,
  skipSpace,
  valueEnd,
} from './text.ts'
