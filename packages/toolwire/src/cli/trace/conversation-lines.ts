/** A conversation for reading: who speaks in a column of its own, long texts and early turns cut. */

import type { Conversation, Said } from '../../reading/said.ts'
import type { Colors } from '../../terminal/colors.ts'
import { cutToWidth, splitToWidth } from '../../terminal/display-width.ts'
import { printable } from '../../terminal/printable.ts'
import { plural } from '../../terminal/table.ts'

interface Page {
  readonly width: number
  readonly full: boolean
  readonly colors: Colors
}

/** Unless `full` is set: how many entries before the answer, and lines of each. */
const shownHistory = 12
const shownLines = 12
/** Instructions are long, and the same in every exchange. */
const shownInstructions = 3
const labelWidth = 'assistant'.length
const widestText = 100
const shownTools = 8

export function conversationLines(conversation: Conversation, page: Page): string[] {
  const { colors, full } = page
  const { tools, before = [], missing, answer, unread, cut, cutAnswer } = conversation
  const history = [...before, ...conversation.history]
  const shown = full ? history : history.slice(-shownHistory)
  const earlier = history.length - shown.length
  const names = full ? tools : tools.slice(0, shownTools)
  const more = tools.length - names.length
  const restLines = (name: string | undefined): string[] =>
    name === undefined
      ? []
      : [
          `${label('')}  ${colors.dim(`The rest of the ${name} was not kept; --view ${name} shows what was.`)}`,
        ]
  const label = (word: string): string => colors.dim(word.padEnd(labelWidth))
  return [
    ...(tools.length === 0
      ? []
      : [
          `${label('tools')}  ${colors.dim(printable(names.join(', ')) + (more > 0 ? `, and ${more} more` : ''))}`,
        ]),
    ...(earlier === 0
      ? []
      : [`${label('')}  ${colors.dim(`… ${plural(earlier, 'part')} before; --full shows all`)}`]),
    ...(missing === undefined
      ? []
      : [
          `${label('')}  ${colors.dim(`What was said until ${printable(missing)} is not among the traces.`)}`,
        ]),
    ...shown.flatMap(said => saidLines(said, page)),
    ...restLines(cut),
    ...answer.flatMap(said => saidLines(said, page)),
    ...restLines(cutAnswer),
    ...unread.map(
      name =>
        `${label('')}  ${colors.dim(`The ${name} cannot be read here; --view ${name} shows what was kept.`)}`,
    ),
  ]
}

function saidLines({ who, title, text }: Said, { width, full, colors }: Page): string[] {
  const room = Math.max(20, Math.min(widestText, width - labelWidth - 2))
  const head = title === undefined ? '' : `${printable(title)} `
  const most = full ? Number.POSITIVE_INFINITY : who === 'system' ? shownInstructions : shownLines
  const { lines, isCut } = wrapped(head + text, room, most)
  const paint = paints(colors)[who]
  const body = lines.map(line => (isQuiet(who) ? colors.dim(line) : line))
  // The name of a called tool stands out from its arguments.
  if (who === 'call' && body[0]?.startsWith(head)) body[0] = colors.bold(head) + body[0].slice(head.length)
  if (isCut) body.push(colors.dim('…'))
  return body.map((line, i) => `${paint((i === 0 ? who : '').padEnd(labelWidth))}  ${line}`)
}

function isQuiet(who: Said['who']): boolean {
  return who === 'system' || who === 'thinking'
}

function paints(colors: Colors): { readonly [who in Said['who']]: (text: string) => string } {
  const { dim, cyan, green, yellow, magenta, red } = colors
  return {
    system: dim,
    user: cyan,
    assistant: green,
    thinking: dim,
    call: yellow,
    result: magenta,
    refusal: red,
    error: red,
    other: dim,
  }
}

/** At most `most` lines, broken at spaces where there are some. */
function wrapped(text: string, width: number, most: number): { lines: string[]; isCut: boolean } {
  const lines: string[] = []
  for (const line of text.split(/\r\n|\r|\n/)) {
    for (const piece of wrapLine(printable(line), width, most - lines.length + 1)) lines.push(piece)
    if (lines.length > most) return { lines: lines.slice(0, most), isCut: true }
  }
  return { lines, isCut: false }
}

function wrapLine(line: string, width: number, most: number): string[] {
  const lines: string[] = []
  let rest = line
  while (lines.length < most) {
    const [piece = '', more] = splitToWidth(rest, width, 2)
    if (more === undefined) return [...lines, piece]
    const space = piece.lastIndexOf(' ')
    // A break far from the edge would leave the line half empty.
    const end = space > piece.length / 2 ? space : piece.length
    lines.push(cutToWidth(rest.slice(0, end), width))
    rest = rest.slice(end).trimStart()
  }
  return lines
}
