/**
 * Replaces keys in logs and traces, always completely: a few visible characters of a key help an attacker. Headers are
 * recognised by name. In texts, a key is recognised by the prefix that its issuer uses, by the name of the JSON member
 * it is in, or because it is one of the gateway's own.
 */
import { ownText } from '../platform/own-text.ts'

const mask = '***'

/** Not `tokens`: such headers have counts, which are worth seeing. */
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

/**
 * Each pattern begins with a fixed text and is greedy, so that no input makes it backtrack. The character before is
 * matched and put back, because a pattern with an assertion cannot be proved to be linear.
 */
const keys = new RegExp(`(^|[^A-Za-z0-9])(?:${prefixes})[A-Za-z0-9_-]{16,}`, 'g')
const tokens = /(^|[^\w-])eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]*/g
const bearers = /\b(bearer\s+)([\w.~+/=-]+)/gi
/** Shorter words after "bearer" are ordinary text. */
const minBearerLength = 16
/** Any member with a text; `maskMember` decides by its name. */
const members = /"([\w-]*)(\\*"\s*:\s*\\*")([^"]*)/g
/** Without `-` and `_`. Names that end in `apikey` are secret too. */
const secretMembers: ReadonlySet<string> = new Set([
  'authorization',
  'proxyauthorization',
  'accesstoken',
  'refreshtoken',
  'authtoken',
  'idtoken',
  'secret',
  'clientsecret',
  'password',
  'cookie',
  'setcookie',
])
const cutKey = new RegExp(`(?:(?<![A-Za-z0-9])(?:${prefixes})|\\bbearer\\s+|\\beyJ)[\\w.~+/=-]*$`, 'i')

/** How far from the end of a cut text the beginning of a key is searched for. */
const tailLength = 400
/** Shorter ones occur by chance in ordinary texts. */
const minSecretLength = 6
/** The shortest text that `keys` can match. */
const minKeyLength = 'sk-'.length + 16

export interface Masker {
  text(text: string): string
  /** For a text whose end is missing, and which may therefore end inside a key. */
  cutText(text: string): string
}

/** `secrets`: known keys, such as those in the gateway's settings. */
export function createMasker(secrets: readonly string[] = []): Masker {
  // The longest first, in case one key is the beginning of another.
  const known = [...new Set(secrets)]
    .filter(secret => secret.length >= minSecretLength)
    .sort((a, b) => b.length - a.length)

  const maskText = (text: string): string => {
    let out = text
    for (const secret of known) out = out.replaceAll(secret, mask)
    // Most texts are names: too short for a key and without JSON members.
    if (out.length >= minKeyLength) {
      out = out.replace(keys, `$1${mask}`).replace(tokens, `$1${mask}`).replace(bearers, maskBearer)
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

function maskBearer(match: string, scheme: string, value: string): string {
  return value.length < minBearerLength ? match : scheme + mask
}

function maskMember(match: string, name: string, between: string, value: string): string {
  const plain = name.toLowerCase().replaceAll(/[-_]/g, '')
  if (!secretMembers.has(plain) && !plain.endsWith('apikey')) return match
  // In JSON inside a JSON string, the backslashes before the closing quote do not belong to the value.
  let start = value.length
  while (value[start - 1] === '\\') start--
  const end = value.slice(start)
  return value === end ? match : `"${name}${between}${mask}${end}`
}

/** From three characters on, the end of the text is taken for the beginning of the key. */
function maskBeginning(text: string, secret: string): string {
  for (let length = secret.length - 1; length >= 3; length--) {
    if (text.endsWith(secret.slice(0, length))) return text.slice(0, -length) + mask
  }
  return text
}

/** A masked text of at most `length`. It is cut much later before masking, so that no key is cut in half. */
export function maskedStart(text: string, length: number, masker: Masker): string {
  return clipText(masker.text(clipText(text, 2 * length + 1000)), length)
}

export function maskHeader(name: string, value: string, masker: Masker): string {
  return secretHeader.test(name) ? mask : masker.text(value)
}

const parameter = /([?&][^?=&#\s]*=)[^&#\s]*/g
const secretParameter = /key|token|secret|password|sig/i

function maskParameter(match: string, name: string): string {
  return secretParameter.test(name) ? name + mask : match
}

/** The first line of a request, whose URL may contain a key. */
export function maskLine(line: string, masker: Masker): string {
  return masker.text(line.replace(/\/\/[^/@\s]*@/, `//${mask}@`).replace(parameter, maskParameter))
}

/**
 * The beginning of a text, with an ellipsis where something is missing. It is copied, so that the rest need not stay in
 * memory.
 */
export function clipText(text: string, length: number): string {
  if (text.length <= length) return text
  return `${ownText(text.slice(0, length))}…`
}
