/** Heads of requests and answers as text, as a trace keeps them. */
import { clipText } from '../mask-secrets.ts'
import type { ViewHead } from '../observer.ts'

/** A head with more characters is clipped before it is written, any other one when it is read. */
const longHead = 8000
const maxTextLength = 2000
const maxHeaders = 100

/** The line, each name and each value of a head in lines of their own; HTTP lets none of them have several. */
function headText({ line, headers, text }: ViewHead): string {
  if (text !== undefined) return text
  let lines = line
  for (const name in headers) lines += `\n${name}\n${headers[name] ?? ''}`
  return lines
}

/** HTTP lets no head hold it. */
const betweenHeads = '\0'

export function headsText(heads: readonly ViewHead[]): string {
  return heads.map(shortHeadText).join(betweenHeads)
}

function shortHeadText(head: ViewHead): string {
  const text = headText(head)
  return text.length > longHead ? headText(clipHead(head)) : text
}

export function readHeads(text: string): ViewHead[] {
  return text.split(betweenHeads).map(readHead)
}

export function clipHead({ line, headers }: ViewHead): ViewHead {
  const clip = (text = ''): string => clipText(text, maxTextLength)
  const clipped = Object.keys(headers)
    .slice(0, maxHeaders)
    .map(name => [clip(name), clip(headers[name])])
  return { line: clip(line), headers: Object.fromEntries(clipped) }
}

function readHead(text: string): ViewHead {
  const [line = '', ...rest] = text.split('\n')
  const headers: [string, string][] = []
  for (let at = 0; at < rest.length; at += 2) headers.push([rest[at] ?? '', rest[at + 1] ?? ''])
  return { line, headers: Object.fromEntries(headers) }
}
