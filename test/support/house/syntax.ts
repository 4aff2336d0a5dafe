/** The project's own source as syntax trees: every node of a file, and the modules it imports. */
import { posix } from 'node:path'
import { type Node, type Program, parseSync } from 'oxc-parser'
import type { SourceFile } from './source.ts'

export type { Node } from 'oxc-parser'

/** Several tests read the same files, and parsing is what costs. */
const programs = new Map<string, Program>()

function parse({ path, text }: SourceFile): Program {
  const parsed = programs.get(path)
  if (parsed !== undefined) return parsed
  const { program, errors } = parseSync(path, text)
  if (errors.length > 0) throw new Error(`${path} cannot be parsed: ${errors[0]?.message}`)
  programs.set(path, program)
  return program
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'

/** Visits every node of a file, parents first, with its parent. */
export function walk(file: SourceFile, visit: (node: Node, parent: Node | undefined) => void): void {
  const step = (node: Node, parent: Node | undefined): void => {
    visit(node, parent)
    for (const value of Object.values(node)) {
      if (Array.isArray(value)) for (const child of value) isNode(child) && step(child, node)
      else if (isNode(value)) step(value, node)
    }
  }
  step(parse(file), undefined)
}

/** The value of a string literal, also behind `as` and `satisfies`. */
export function stringOf(node: Node | null | undefined): string | undefined {
  if (node?.type === 'TSAsExpression' || node?.type === 'TSSatisfiesExpression')
    return stringOf(node.expression)
  return node?.type === 'Literal' && typeof node.value === 'string' ? node.value : undefined
}

export const lineAt = (text: string, offset: number): number => text.slice(0, offset).split('\n').length

export interface Import {
  /** Relative to the repository; a package keeps its own name. */
  readonly target: string
  /** Nothing of the module is needed at run time. */
  readonly isType: boolean
}

const imports = new Map<string, readonly Import[]>()

/** Every module a file names: imports, exports from elsewhere, `import()` of values and of types. */
export function importsOf(file: SourceFile): readonly Import[] {
  const known = imports.get(file.path)
  if (known !== undefined) return known
  const found: Import[] = []
  walk(file, node => {
    const [specifier, isType] = moduleOf(node)
    if (specifier === undefined) return
    const folder = posix.dirname(file.path)
    found.push({ target: specifier.startsWith('.') ? posix.join(folder, specifier) : specifier, isType })
  })
  imports.set(file.path, found)
  return found
}

function moduleOf(node: Node): [specifier: string | undefined, isType: boolean] {
  switch (node.type) {
    case 'ImportDeclaration': {
      const { specifiers } = node
      const areTypes =
        specifiers.length > 0 &&
        specifiers.every(each => each.type === 'ImportSpecifier' && each.importKind === 'type')
      return [node.source.value, node.importKind === 'type' || areTypes]
    }
    case 'ExportNamedDeclaration':
      return [
        node.source?.value,
        node.exportKind === 'type' || node.specifiers.every(each => each.exportKind === 'type'),
      ]
    case 'ExportAllDeclaration':
      return [node.source.value, node.exportKind === 'type']
    case 'ImportExpression':
      return [stringOf(node.source), false]
    case 'TSImportType':
      return [node.source.value, true]
    default:
      return [undefined, false]
  }
}

/** Groups of nodes each of which leads to every other of its group (Tarjan's algorithm). */
export function cyclesOf(edges: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const stack: string[] = []
  const cycles: string[][] = []
  const visit = (node: string): number => {
    const at = order.size
    order.set(node, at)
    stack.push(node)
    let low = at
    for (const next of edges.get(node) ?? []) {
      if (!order.has(next)) low = Math.min(low, visit(next))
      else if (stack.includes(next)) low = Math.min(low, lowest.get(next) ?? order.get(next) ?? low)
    }
    lowest.set(node, low)
    if (low === at) {
      const group = stack.splice(stack.indexOf(node))
      if (group.length > 1 || edges.get(node)?.includes(node)) cycles.push(group.sort())
    }
    return low
  }
  for (const node of edges.keys()) if (!order.has(node)) visit(node)
  return cycles.sort()
}
