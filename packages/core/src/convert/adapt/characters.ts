/** Names and ids that may hold only some characters, given as the inside of a character class. */

interface Patterns {
  /** A text of nothing else. */
  readonly only: RegExp
  readonly outside: RegExp
}

/** What the wires themselves allow, so that it is not compiled again for every request. */
const usual = 'a-zA-Z0-9_-'
const usualPatterns = compile(usual)

function compile(characters: string): Patterns {
  return { only: new RegExp(`^[${characters}]+$`), outside: new RegExp(`[^${characters}]`, 'g') }
}

export function patternsOf(characters: string): Patterns {
  return characters === usual ? usualPatterns : compile(characters)
}

/** The text with an underscore for each character that is not allowed; `null` allows all. */
export function legalText(text: string, characters: string | null): string {
  return characters === null ? text : text.replace(patternsOf(characters).outside, '_')
}
