/**
 * Keys are masked whole: a few letters of a key are no mask. Headers are known by name. In texts, keys are known by
 * the prefixes their issuers give them, by the name of the member they stand in, and by being one of our own.
 */
import { clipText } from './clip-text.ts'

const mask = '***'

/** Those in the plural count tokens and are worth seeing. */
const secretHeader = /key|token(?!s)|authorization|cookie|secret|password|credential/i

const prefixes = [
  'sk-',
  'sk_',
  'gsk_',
  'xai-',
  'hf_',
  'pplx-',
  'nvapi-',
  'r8_',
  'AIza',
  'AKIA',
  'ASIA',
  'gh[pousr]_',
  'github_pat_',
  'glpat-',
  'npm_',
  'xox[abposr]-',
].join('|')

/** Each pattern begins with something fixed and takes all it can, so that no text makes it start over and over. */
const keys = new RegExp(`(?<![A-Za-z0-9])(?:${prefixes})[A-Za-z0-9_-]{16,}`, 'g')
const tokens = /(?<![\w-])eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]*/g
const bearers = /\b(bearer\s+)[\w.~+/=-]{16,}/gi
const members =
  /"((?:proxy-)?authorization|[\w-]{0,40}api[-_]?key|(?:access|refresh|auth|id)[-_]?token|(?:client[-_]?)?secret|password|(?:set-)?cookie)(\\*"\s*:\s*\\*")([^"]*)/gi
const cutKey = new RegExp(`(?:(?<![A-Za-z0-9])(?:${prefixes})|\\bbearer\\s+|\\beyJ)[\\w.~+/=-]*$`, 'i')

/** As much of the end of a cut text as is looked at for the beginning of a key. */
const tailLength = 400
/** Shorter ones would be found in half of all texts. */
const shortestSecret = 6
/** The shortest prefix of a key, and as much behind it as makes a key of it. */
const shortestKey = 'sk-'.length + 16

export interface Masker {
  text(text: string): string
  /** A text whose end is missing may end inside a key. */
  cutText(text: string): string
}

/** `secrets`: keys known by their very letters, such as those in the gateway's settings. */
export function createMasker(secrets: readonly string[] = []): Masker {
  // The longest first, so that a key which begins like another is masked whole.
  const known = [...new Set(secrets)]
    .filter(secret => secret.length >= shortestSecret)
    .sort((a, b) => b.length - a.length)

  const maskText = (text: string): string => {
    let out = text
    for (const secret of known) out = out.replaceAll(secret, mask)
    // Most texts are names, which are too short for a key and have no members.
    if (out.length >= shortestKey) {
      out = out.replace(keys, mask).replace(tokens, mask).replace(bearers, `$1${mask}`)
    }
    return out.includes('"') ? out.replace(members, maskMember) : out
  }

  return {
    text: maskText,
    cutText(text) {
      const masked = maskText(text)
      const head = masked.slice(0, -tailLength)
      let tail = masked.slice(-tailLength).replace(cutKey, mask)
      for (const secret of known) tail = maskBeginning(tail, secret)
      return head + tail
    },
  }
}

function maskMember(_whole: string, name: string, between: string, value: string): string {
  // Inside a text inside JSON, the backslashes before the closing quote are not the value's.
  const end = /\\*$/.exec(value.slice(-20))?.[0] ?? ''
  return value === end ? `"${name}${between}${value}` : `"${name}${between}${mask}${end}`
}

/** Two letters at the end may be anything; from three on, it is taken for the beginning of the key. */
function maskBeginning(text: string, secret: string): string {
  for (let length = secret.length - 1; length >= 3; length--) {
    if (text.endsWith(secret.slice(0, length))) return text.slice(0, -length) + mask
  }
  return text
}

/** A masked text of at most `length`. What is cut off lies far behind it, so that no key ends half inside. */
export function maskedStart(text: string, length: number, masker: Masker): string {
  return clipText(masker.text(clipText(text, 2 * length + 1000)), length)
}

/** What may be seen of the value of a header. */
export function shownHeader(name: string, value: string): string {
  return secretHeader.test(name) ? mask : value
}

const secretParameter = /([?&][^=&#\s]*(?:key|token|secret|password|sig)[^=&#\s]*=)[^&#\s]*/gi

/** The first line of a request, whose address may hold a key. */
export function maskLine(line: string, masker: Masker): string {
  return masker.text(line.replace(/\/\/[^/@\s]*@/, `//${mask}@`).replace(secretParameter, `$1${mask}`))
}
