/** One document on each wire: tools, a request or an answer. */
import { createExchange, type Diagnostic, detectWire, type BuiltInWire as Wire } from '@toolwire/core'
import type { JsonDocument } from '../../terminal/json-document.ts'
import { guessAnswerWire, kindOf } from '../body-kind.ts'
import { convertToolInput } from '../convert/convert-tools.ts'
import { unknownWire } from '../convert/write-result.ts'
import { inDocumentOrder } from '../document-order.ts'
import { asToolInput } from '../tool-input.ts'
import { wires } from '../wire-option.ts'

interface WireView {
  readonly value: unknown
  readonly diagnostics: readonly Diagnostic[]
}

export interface ThreeWires {
  readonly kind: 'tools' | 'request' | 'answer'
  /** The wire of the document. */
  readonly from: Wire
  /** The document itself under its own wire, and what became of it under the others. */
  readonly views: { readonly [W in Wire]: WireView }
}

export function onThreeWires(document: JsonDocument, stated: Wire | undefined, name: string): ThreeWires {
  const kind = kindOf(document.value) ?? 'tools'
  const tools =
    kind === 'tools' ? asToolInput(document.value, name, 'tools, a request or an answer') : undefined
  const value = tools === undefined ? document.value : tools.value
  const guess = kind === 'answer' ? guessAnswerWire : detectWire
  const from = stated ?? guess(value)
  if (from === undefined) throw unknownWire()
  const view = (to: Wire): WireView => {
    const converted = converters[kind](value, from, to)
    const diagnostics = inDocumentOrder(converted.diagnostics, document, tools)
    return { value: to === from ? value : converted.value, diagnostics }
  }
  return {
    kind,
    from,
    views: Object.fromEntries(wires.map(wire => [wire, view(wire)])) as ThreeWires['views'],
  }
}

const converters: {
  readonly [K in ThreeWires['kind']]: (value: unknown, from: Wire, to: Wire) => WireView
} = {
  tools: (value, from, to) => convertToolInput(value, { from, to }),
  request: (value, from, to) => createExchange({ from, to }).request(value),
  answer: (value, from, to) => {
    let ids = 0
    const newId = (prefix: string): string => `${prefix}${++ids}`
    return createExchange({ from: to, to: from, newId, now: () => 0 }).response(value)
  },
}
