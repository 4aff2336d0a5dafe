/** Unions in the type declarations of a package: the words by which their members are told apart. */
import { readFileSync } from 'node:fs'
import { type Node, parseSync } from 'oxc-parser'
import { root } from './source.ts'

type Declaration = Extract<Node, { type: 'TSInterfaceDeclaration' | 'TSTypeAliasDeclaration' }>

export interface Declarations {
  /** The words under `type` of every member of a union, also of unions inside it and of lists of them. */
  typesOf(name: string): string[]
  /** The same for the union that a field of an interface holds. */
  typesOfField(name: string, field: string): string[]
}

export function readDeclarations(path: string): Declarations {
  const text = readFileSync(`${root}test/node_modules/${path}`, 'utf8')
  const known = new Map<string, Declaration>()
  collect(parseSync(path, text).program.body, '', known)
  const resolve = (node: Node | undefined, scope: string): string[] => wordsOf(node, scope, known)
  return {
    typesOf: name => sorted(resolve(known.get(name), name)),
    typesOfField: (name, field) => sorted(resolve(fieldOf(known.get(name), field), name)),
  }
}

const sorted = (words: readonly string[]): string[] => [...new Set(words)].toSorted()

function collect(body: readonly Node[], prefix: string, known: Map<string, Declaration>): void {
  for (const statement of body) {
    const node = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement
    if (node?.type === 'TSInterfaceDeclaration' || node?.type === 'TSTypeAliasDeclaration') {
      known.set(prefix + node.id.name, node)
    } else if (node?.type === 'TSModuleDeclaration' && node.id.type === 'Identifier') {
      const inner = node.body?.type === 'TSModuleBlock' ? node.body.body : []
      collect(inner, `${prefix}${node.id.name}.`, known)
    }
  }
}

function fieldOf(declaration: Declaration | undefined, field: string): Node | undefined {
  const members = declaration?.type === 'TSInterfaceDeclaration' ? declaration.body.body : []
  for (const member of members) {
    if (
      member.type === 'TSPropertySignature' &&
      member.key.type === 'Identifier' &&
      member.key.name === field
    )
      return member.typeAnnotation?.typeAnnotation
  }
  return undefined
}

/** The words of a type: of a union those of its members, of an interface those under its `type`. */
function wordsOf(node: Node | undefined, scope: string, known: ReadonlyMap<string, Declaration>): string[] {
  const inner = (next: Node | undefined): string[] => wordsOf(next, scope, known)
  switch (node?.type) {
    case 'TSTypeAliasDeclaration':
      return inner(node.typeAnnotation)
    case 'TSUnionType':
      return node.types.flatMap(inner)
    case 'TSLiteralType':
      return node.literal.type === 'Literal' && typeof node.literal.value === 'string'
        ? [node.literal.value]
        : []
    case 'TSInterfaceDeclaration': {
      const type = fieldOf(node, 'type')
      return type === undefined
        ? node.extends.flatMap(({ expression }) =>
            expression.type === 'Identifier' ? inner(known.get(expression.name)) : [],
          )
        : inner(type)
    }
    case 'TSTypeReference': {
      const name = nameOf(node.typeName)
      if (name === 'Array') return (node.typeArguments?.params ?? []).flatMap(inner)
      const found = find(name, scope, known)
      return found === undefined ? [] : wordsOf(found[1], found[0], known)
    }
    default:
      return []
  }
}

function nameOf(node: Node): string {
  if (node.type === 'Identifier') return node.name
  return node.type === 'TSQualifiedName' ? `${nameOf(node.left)}.${nameOf(node.right)}` : ''
}

/** A name is looked up from the namespace it is used in outwards; the module's own alias in front means nothing. */
function find(
  name: string,
  scope: string,
  known: ReadonlyMap<string, Declaration>,
): [string, Declaration] | undefined {
  const spaces = scope.split('.')
  for (let depth = spaces.length; depth >= 0; depth--) {
    const full = [...spaces.slice(0, depth), name].join('.')
    const found = known.get(full)
    if (found !== undefined) return [full, found]
  }
  const bare = name.replace(/^\w+API\./, '')
  return bare === name ? undefined : find(bare, scope, known)
}
