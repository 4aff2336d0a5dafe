/** What the entry points of the packages export: each name with its declaration's own comment. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { type Comment, type Node, parseSync } from 'oxc-parser'
import { root } from './source.ts'

export interface Exported {
  readonly name: string
  /** Where it is declared, relative to the repository. */
  readonly file: string
  /** The text of the comment right before its declaration. */
  readonly comment: string | undefined
}

interface Module {
  readonly path: string
  readonly text: string
  readonly body: readonly Node[]
  readonly comments: readonly Comment[]
}

const modules = new Map<string, Module>()

function moduleAt(path: string): Module {
  const known = modules.get(path)
  if (known !== undefined) return known
  const text = readFileSync(path, 'utf8')
  const { program, comments } = parseSync(path, text)
  const module = { path, text, body: program.body, comments }
  modules.set(path, module)
  return module
}

/** The sources of the published entry points, by the name they are imported by. */
export function entryPoints(): Map<string, string> {
  const entries = ['core', 'toolwire'].flatMap(folder => {
    const manifest = JSON.parse(readFileSync(`${root}packages/${folder}/package.json`, 'utf8')) as {
      name: string
      exports: Record<string, { types?: string }>
    }
    return Object.entries(manifest.exports).flatMap(([entry, { types }]) => {
      const source = types?.replace('./dist/', 'src/').replace(/\.d\.ts$/, '.ts')
      return source === undefined
        ? []
        : [[manifest.name + entry.slice(1), join(root, 'packages', folder, source)] as const]
    })
  })
  return new Map(entries)
}

export function exportsOf(path: string): Exported[] {
  return moduleAt(path).body.flatMap((node): Exported[] => {
    if (node.type === 'ExportAllDeclaration') return exportsOf(targetOf(path, node.source.value))
    if (node.type !== 'ExportNamedDeclaration') return []
    if (node.declaration !== null) {
      return namesOf(node.declaration).map(name => declared(moduleAt(path), name, node))
    }
    const from = node.source === null ? path : targetOf(path, node.source.value)
    return node.specifiers.map(({ local, exported }) => ({
      ...find(from, wordOf(local)),
      name: wordOf(exported),
    }))
  })
}

/** The declaration of a name, through modules that only pass it on. */
function find(path: string, name: string): Exported {
  const module = moduleAt(path)
  for (const node of module.body) {
    const declaration = node.type === 'ExportNamedDeclaration' ? (node.declaration ?? node) : node
    if (namesOf(declaration).includes(name)) return declared(module, name, node)
    if (node.type !== 'ImportDeclaration' && node.type !== 'ExportNamedDeclaration') continue
    const { source, specifiers } = node
    for (const specifier of specifiers) {
      if (source === null || specifier.type === 'ImportNamespaceSpecifier') continue
      const [outer, inner] =
        specifier.type === 'ExportSpecifier'
          ? [specifier.exported, specifier.local]
          : [specifier.local, specifier.type === 'ImportSpecifier' ? specifier.imported : specifier.local]
      if (wordOf(outer) === name) return find(targetOf(path, source.value), wordOf(inner))
    }
  }
  throw new Error(`${path} does not declare ${name}.`)
}

function namesOf(node: Node): string[] {
  if (node.type === 'VariableDeclaration') {
    return node.declarations.flatMap(({ id }) => (id.type === 'Identifier' ? [id.name] : []))
  }
  return 'id' in node && node.id?.type === 'Identifier' ? [node.id.name] : []
}

function declared({ path, text, comments }: Module, name: string, { start }: Node): Exported {
  const before = comments.findLast(({ end }) => end <= start && text.slice(end, start).trim() === '')
  const comment = before?.type === 'Block' && before.value.startsWith('*') ? before.value : undefined
  return { name, file: relative(root, path), comment }
}

function wordOf(name: { readonly type: string; readonly name?: string; readonly value?: unknown }): string {
  return name.name ?? String(name.value)
}

function targetOf(from: string, specifier: string): string {
  if (specifier.startsWith('.')) return join(dirname(from), specifier)
  const entry = entryPoints().get(specifier)
  if (entry === undefined || !existsSync(entry)) throw new Error(`${from} passes on ${specifier}.`)
  return entry
}
