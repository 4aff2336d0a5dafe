/**
 * The `format` values that are checked. No expression here has a repeated group that can match the same text in two
 * ways, so the native engine never backtracks more than a constant per character.
 */
import { compilePattern } from '../pattern/pattern.ts'

const days = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const

function isDate(text: string): boolean {
  const parts = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text)
  if (parts === null) return false
  const [year, month, day] = [Number(parts[1]), Number(parts[2]), Number(parts[3])]
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  const last = month === 2 && leap ? 29 : (days[month - 1] ?? 0)
  return day >= 1 && day <= last
}

function isTime(text: string): boolean {
  const parts = /^(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:z|([+-])(\d\d):(\d\d))$/i.exec(text)
  if (parts === null) return false
  const [hour, minute, second] = [Number(parts[1]), Number(parts[2]), Number(parts[3])]
  const [zoneHour, zoneMinute] = [Number(parts[5] ?? 0), Number(parts[6] ?? 0)]
  if (hour > 23 || minute > 59 || second > 60 || zoneHour > 23 || zoneMinute > 59) return false
  if (second < 60) return true
  // A leap second only exists at the end of a UTC day.
  const offset = (parts[4] === '-' ? 1 : -1) * (zoneHour * 60 + zoneMinute)
  return (hour * 60 + minute + offset + 1440) % 1440 === 1439
}

function isDateTime(text: string): boolean {
  return /^.{10}[t ]/i.test(text) && isDate(text.slice(0, 10)) && isTime(text.slice(11))
}

function isDuration(text: string): boolean {
  if (/^P\d+W$/.test(text)) return true
  const parts = /^P(\d+Y)?(\d+M)?(\d+D)?(?:T(\d+H)?(\d+M)?(\d+S)?)?$/.exec(text)
  if (parts === null || text === 'P' || text.endsWith('T')) return false
  const [, year, month, day, hour, minute, second] = parts
  const gap =
    (year !== undefined && day !== undefined && month === undefined) ||
    (hour !== undefined && second !== undefined && minute === undefined)
  return !gap
}

function isHostname(text: string): boolean {
  if (text.length === 0 || text.length > 253) return false
  return text
    .split('.')
    .every(label => label.length <= 63 && /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/i.test(label))
}

function isIpv4(text: string): boolean {
  const parts = text.split('.', 5)
  return parts.length === 4 && parts.every(part => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255)
}

function isIpv6(text: string): boolean {
  if (text.length > 45) return false
  const halves = text.split('::')
  if (halves.length > 2) return false
  const groups = halves.map(half => (half === '' ? [] : half.split(':')))
  const flat = groups.flat()
  const last = flat.at(-1) ?? ''
  const embedded = last.includes('.')
  if (embedded && !isIpv4(last)) return false
  const plain = embedded ? flat.slice(0, -1) : flat
  if (!plain.every(group => /^[0-9a-f]{1,4}$/i.test(group))) return false
  // An address cannot end in IPv4 form before the `::`.
  if (embedded && halves.length === 2 && halves[1] === '') return false
  const count = plain.length + (embedded ? 2 : 0)
  return halves.length === 2 ? count < 8 : count === 8
}

function isEmail(text: string): boolean {
  const at = text.lastIndexOf('@')
  const [name, host] = [text.slice(0, at), text.slice(at + 1)]
  if (at < 1 || name.length > 64) return false
  const named =
    /^"(?:[^"\\]|\\.)*"$/.test(name) ||
    (/^[^\s"(),:;<>@[\\\]]+$/.test(name) &&
      !name.startsWith('.') &&
      !name.endsWith('.') &&
      !name.includes('..'))
  if (!named) return false
  if (!host.startsWith('[')) return isHostname(host)
  const address = host.endsWith(']') ? host.slice(1, -1) : ''
  return /^ipv6:/i.test(address) ? isIpv6(address.slice(5)) : isIpv4(address)
}

function isUriReference(text: string): boolean {
  return /^(?:[!#$&-;=?-Z_a-z~[\]]|%[0-9a-f]{2})*$/i.test(text) && text.split('#', 3).length < 3
}

function isUri(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:/i.test(text) && isUriReference(text)
}

export const formats: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ['date', isDate],
  ['time', isTime],
  ['date-time', isDateTime],
  ['duration', isDuration],
  ['email', isEmail],
  ['hostname', isHostname],
  ['ipv4', isIpv4],
  ['ipv6', isIpv6],
  ['uri', isUri],
  ['uri-reference', isUriReference],
  ['uuid', (text: string) => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)],
  ['json-pointer', (text: string) => /^(?:\/(?:[^~/]|~[01])*)*$/.test(text)],
  ['regex', (text: string) => compilePattern(text).kind !== 'invalid'],
])
