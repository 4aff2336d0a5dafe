/** Values as the JSON that would be sent, without the data that no model reads as text. */

/** Base64 and the like: long, and without anything that texts have between words. */
const data = /^[A-Za-z0-9+/=_-]{2000,}$/

export interface JsonText {
  readonly text: string
  /** Something in it was not text, or the value could not be written. */
  readonly partial: boolean
}

export function jsonText(value: unknown): JsonText {
  let partial = false
  try {
    const text = JSON.stringify(value, (_key, inner: unknown) => {
      if (typeof inner !== 'string' || !data.test(inner)) return inner
      partial = true
      return ''
    })
    return { text: text ?? '', partial }
  } catch {
    // Nested deeper than the engine can follow.
    return { text: '', partial: true }
  }
}
