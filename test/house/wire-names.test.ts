/**
 * Outside a wire's folder nothing asks which wire it deals with: a fourth wire needs no edit elsewhere. The names are
 * told from fields of bodies (`messages: [...]`) by company: a list or table that names two wires is one of wires.
 */
import { describe, expect, test } from 'vitest'
import { allSource, type SourceFile } from '../support/house/source.ts'
import { lineAt, type Node, stringOf, walk } from '../support/house/syntax.ts'
import { filesThatNameWires } from './exceptions.ts'

const wires: ReadonlySet<unknown> = new Set(['chat', 'responses', 'messages'])

/** Where a wire's name belongs. */
const mayNameWires = [
  /^packages\/core\/src\/wires\/(chat|responses|messages)\//,
  /^packages\/core\/src\/wires\/registry\.ts$/,
  /^packages\/core\/src\/(presets|openai|testing)\//,
  /^packages\/toolwire\/src\/(demo|gateway\/responses-api)\//,
]

/** Whether names are a table's or list's of wires. No body has a field `chat`, so that one name is enough. */
function areWires(names: readonly unknown[]): boolean {
  const found = new Set(names.filter(name => wires.has(name)))
  return found.size > 1 || found.has('chat')
}

/** The keys that are written out in an object literal or an object type. */
function keysOf(members: readonly Node[]): (string | undefined)[] {
  return members.map(member => {
    if (!('key' in member) || member.key === null || ('computed' in member && member.computed))
      return undefined
    return member.key.type === 'Identifier' ? member.key.name : stringOf(member.key)
  })
}

function namesWire(node: Node): boolean {
  switch (node.type) {
    case 'BinaryExpression':
      return (
        /^[!=]==?$/.test(node.operator) && [node.left, node.right].some(side => wires.has(stringOf(side)))
      )
    case 'SwitchCase':
      return wires.has(stringOf(node.test))
    case 'ObjectExpression':
      return areWires(keysOf(node.properties))
    case 'TSTypeLiteral':
      return areWires(keysOf(node.members))
    case 'TSInterfaceBody':
      return areWires(keysOf(node.body))
    case 'ArrayExpression':
      // The entries of a map are pairs, whose first element is the key.
      return areWires(
        node.elements.map(each => stringOf(each?.type === 'ArrayExpression' ? each.elements[0] : each)),
      )
    default:
      return false
  }
}

/** The lines of a file that name a wire. */
function linesOf(file: SourceFile): number[] {
  const lines = new Set<number>()
  walk(file, node => {
    if (namesWire(node)) lines.add(lineAt(file.text, node.start))
  })
  return [...lines]
}

const outside = allSource.filter(({ path }) => !mayNameWires.some(place => place.test(path)))
const naming = new Map(
  outside.map(file => [file.path, linesOf(file)] as const).filter(([, lines]) => lines.length > 0),
)

test('No file outside the wires compares with or keys a table by the name of a wire, but for those listed.', () => {
  expect(outside.length).toBeGreaterThan(300)
  expect([...naming].filter(([path]) => !filesThatNameWires.includes(path))).toEqual([])
})

test('Every file that is listed as naming wires names one.', () => {
  expect(filesThatNameWires.filter(path => !naming.has(path))).toEqual([])
})

describe('The rule about names of wires', () => {
  const isFound = (text: string): boolean => linesOf({ path: `example ${text}.ts`, text }).length > 0

  test.each([
    "if (wire === 'chat') run()",
    "if ('messages' !== upstream.wire) run()",
    "switch (wire) { case 'responses': run() }",
    'const paths = { chat: 1, responses: 2, messages: 3 }',
    "const paths = { 'messages': 1, responses: 2 }",
    'type Paths = { readonly chat: string; readonly messages: string }',
    'interface Paths { responses: string; messages: string }',
    "const paths = new Map([['responses', 1], ['messages', 2]])",
    "const wires = ['responses', 'messages'] as const",
    "const paths = new Map([['chat', 1]])",
  ])('%s names a wire.', text => {
    expect(isFound(text)).toBe(true)
  })

  test.each([
    "const body = { model: 'm', messages: [] }",
    "const fields = ['model', 'messages', 'max_tokens']",
    'const operation = { summary, responses: { 200: ok } }',
    'const { messages } = body',
    "createExchange({ from: 'responses', to: 'chat' })",
    "if (field === 'message') run()",
  ])('%s names none.', text => {
    expect(isFound(text)).toBe(false)
  })
})
