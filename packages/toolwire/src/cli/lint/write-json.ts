/** Writes a value as JSON in the style of the text around it, with numbers spelled as before. */
import type { Node } from 'jsonc-parser'

export interface JsonStyle {
  /** One step of indentation; empty for a document without line breaks. */
  readonly unit: string
  readonly eol: string
  /** What the line begins with in which the value begins. */
  readonly indent: string
  /** The value was written in one line and stays in one line. */
  readonly inline: boolean
  readonly spelling: Spelling
}

/** How a number under a key was spelled, if there was one way: `1.0` should not become `1`. */
export type Spelling = (key: string, value: number) => string | undefined

export function writeJson(value: unknown, style: JsonStyle, key = ''): string {
  if (typeof value === 'number') return style.spelling(key, value) ?? JSON.stringify(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const inner = { ...style, indent: style.indent + style.unit }
  if (Array.isArray(value)) {
    return bracket(
      '[',
      value.map(item => writeJson(item, inner, key)),
      ']',
      style,
    )
  }
  const colon = style.unit === '' ? ':' : ': '
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([name, member]) => `${JSON.stringify(name)}${colon}${writeJson(member, inner, name)}`)
  return bracket('{', members, '}', style)
}

function bracket(open: string, items: readonly string[], close: string, style: JsonStyle): string {
  const { unit, eol, indent, inline } = style
  if (items.length === 0) return open + close
  if (unit === '') return open + items.join(',') + close
  if (inline) return `${open} ${items.join(', ')} ${close}`
  const line = `${eol}${indent}${unit}`
  return `${open}${line}${items.join(`,${line}`)}${eol}${indent}${close}`
}

export const usualSpelling: Spelling = () => undefined

/** The spellings of the numbers at and below a node. */
export function spellingsIn(node: Node, text: string): Spelling {
  const known = new Map<string, string | undefined>()
  const visit = (here: Node, key: string): void => {
    if (here.type === 'property') {
      const [name, value] = here.children ?? []
      if (value !== undefined) visit(value, String(name?.value))
    } else if (here.type === 'number') {
      const spelled = text.slice(here.offset, here.offset + here.length)
      const at = label(key, Number(spelled))
      known.set(at, known.has(at) && known.get(at) !== spelled ? undefined : spelled)
    } else for (const child of here.children ?? []) visit(child, key)
  }
  visit(node, '')
  return (key, value) => known.get(label(key, value))
}

function label(key: string, value: number): string {
  return `${value} ${key}`
}
