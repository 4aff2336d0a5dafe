/**
 * The laws of whole requests and answers, for bodies of your own, such as recorded ones:
 *
 *     for (const { name, check } of exchangeLaws({ wire: 'chat', request: body })) test(name, check)
 */
import type { Exchange } from '../../convert/exchange.ts'
import { createExchangeWith } from '../../convert/exchange.ts'
import type { JsonObject } from '../../json/object.ts'
import { isObject } from '../../json/object.ts'
import { parseJson, show } from '../../json/text.ts'
import type { Diagnostic, Path } from '../../model/diagnostic.ts'
import { equal } from '../../schema/equal.ts'
import { strictPasses } from '../../schema/strict/passes.ts'
import type { BuiltInWire as Wire } from '../../wires/registry.ts'
import { wireNames as everyWire } from '../../wires/registry.ts'
import type { Law } from './law.ts'
import { codecOf, insist } from './law.ts'

export type Exchanged = {
  readonly wire: Wire
  /** What the body is called in the names of the laws. */
  readonly name?: string
} & ({ readonly request: JsonObject } | { readonly answer: JsonObject })

export interface ExchangeLawOptions {
  /** The wires to convert to; all three unless stated. */
  readonly wires?: readonly Wire[]
}

export function exchangeLaws(given: Exchanged, { wires = everyWire }: ExchangeLawOptions = {}): Law[] {
  const { wire, name = 'request' in given ? 'the request' : 'the answer' } = given
  const isRequest = 'request' in given
  const body = isRequest ? given.request : given.answer
  const convert = (to: Wire, source: JsonObject = body, from: Wire = wire): Converted =>
    // An answer goes the other way: from the upstream that gave it to a client.
    isRequest ? newExchange(from, to).request(source) : newExchange(to, from).response(source)
  const laws: Law[] = [
    {
      name: `identity: ${name} on ${wire} stays as it is on its own wire`,
      check: () => insist(equal(convert(wire).value, body), () => changed(body, convert(wire).value, wire)),
    },
  ]
  for (const to of wires) {
    laws.push({
      name: `accounting: every text of ${name} from ${wire} arrives on ${to}, or is spoken of`,
      check: () => checkTexts(body, convert(to), { from: wire, to, isAnswer: !isRequest }),
    })
    laws.push({
      name: `idempotence: ${name} from ${wire}, once on ${to}, does not change again`,
      check: () => {
        const once = convert(to).value
        const again = convert(to, once, to).value
        insist(equal(again, once), () => changed(once, again, to))
      },
    })
  }
  return laws
}

interface Way {
  readonly from: Wire
  readonly to: Wire
  readonly isAnswer: boolean
}

interface Converted {
  readonly value: JsonObject
  readonly diagnostics: readonly Diagnostic[]
}

function newExchange(from: Wire, to: Wire): Exchange {
  return createExchangeWith(
    { newId: prefix => `${prefix}id`, now: () => 0 },
    { strictPasses, from: codecOf(from), to: codecOf(to) },
  )
}

function changed(before: JsonObject, after: JsonObject, wire: Wire): string {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  const different = keys.filter(key => !equal(before[key], after[key]))
  return `On ${wire} the fields ${different.join(', ')} changed.`
}

/** Words that say what kind of thing something is, which every wire says in its own way. */
const structural: ReadonlySet<string> = new Set([
  'type',
  'role',
  'object',
  'status',
  'mode',
  'execution',
  'finish_reason',
  'stop_reason',
  'tool_choice',
  'media_type',
  'format',
  'syntax',
])

/** An answer on Responses repeats settings of the request, which the client knows. */
const repeated: ReadonlySet<unknown> = new Set([
  'metadata',
  'truncation',
  'service_tier',
  'instructions',
  'tools',
])

export function checkTexts(body: JsonObject, { value, diagnostics }: Converted, way: Way): void {
  const { from, to, isAnswer } = way
  const arrived = textsOf(value, []).map(({ text }) => text)
  const exact = new Set(arrived)
  const all = arrived.join('\n')
  for (const { path, text } of textsOf(body, [])) {
    const isWordOfItsWire = path.some(step => typeof step === 'string' && structural.has(step))
    if (isAnswer && repeated.has(path[0])) continue
    if (text === '' || isWordOfItsWire || exact.has(text) || all.includes(text)) continue
    insist(isCovered(path, diagnostics), () => {
      return `From ${from} to ${to} the text ${show(text)} at ${path.join('.')} was lost and nothing was reported.`
    })
  }
}

interface Text {
  readonly path: Path
  readonly text: string
}

/**
 * Arguments are a text of JSON on some wires and an object on others, so JSON in a text is looked into; and of data
 * in the frame of a URL only the data count.
 */
function textsOf(value: unknown, path: Path): Text[] {
  if (typeof value === 'string') {
    const inner = /^\s*[[{]/.test(value) ? parseJson(value) : undefined
    return inner === undefined
      ? [{ path, text: value.replace(/^data:[^,]{0,200};base64,/, '') }]
      : textsOf(inner, path)
  }
  if (Array.isArray(value)) return value.flatMap((item, i) => textsOf(item, [...path, i]))
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([key, item]) => textsOf(item, [...path, key]))
}

/** A diagnostic about the whole speaks of no text in particular. */
function isCovered(path: Path, diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some(({ path: at }) => at.length > 0 && at.every((step, i) => step === path[i]))
}
