/** Names and ids with a limited set of characters, which is given as the inside of a regular expression's class. */

interface Patterns {
  /** Matches strings that consist of allowed characters. */
  readonly only: RegExp
  readonly outside: RegExp
}

/** The set that the built-in wires allow is compiled once, not for every request. */
const usual = 'a-zA-Z0-9_-'
const usualPatterns = compile(usual)

function compile(characters: string): Patterns {
  return { only: new RegExp(`^[${characters}]+$`), outside: new RegExp(`[^${characters}]`, 'g') }
}

export function patternsOf(characters: string): Patterns {
  return characters === usual ? usualPatterns : compile(characters)
}

/** Replaces each character that is not allowed by an underscore; `null` allows all. */
export function legalText(text: string, characters: string | null): string {
  return characters === null ? text : text.replace(patternsOf(characters).outside, '_')
}
