/** The state of one strict conversion: the rules, the references, and what was changed or refused. */

import { isObject, type JsonObject, own } from '../../json/object.ts'
import type { Path } from '../../model/diagnostic.ts'
import type { DiagnosticCode } from '../../model/diagnostic-codes.ts'
import { createRefIndex, type RefIndex, toPointer } from '../refs/refs.ts'
import { definitionKeywords, isDefinitionKeyword, walk } from '../walk.ts'
import { locationName, sentenceSubject } from './messages.ts'
import { isPlainRef, type StrictRules } from './rules.ts'

interface PendingDiagnostic {
  readonly code: DiagnosticCode
  readonly path: Path
  readonly message: string
}

interface Definition {
  readonly target: JsonObject
  readonly path: Path
  readonly container: string
  readonly name: string
}

export interface Conversion {
  readonly rules: StrictRules
  readonly root: JsonObject
  /** What was changed; reported only if the conversion succeeds. */
  readonly changes: PendingDiagnostic[]
  /** Why the conversion is impossible; any entry leaves the schema unchanged. */
  readonly refusals: PendingDiagnostic[]
  /** The properties made nullable, keyed by the output's `properties` object, which copies of the schema share. */
  readonly synthetic: Map<JsonObject, Set<string>>
  /** The input path of each input schema, wherever the conversion moves it. */
  readonly origins: ReadonlyMap<JsonObject, Path>
  readonly path: Path
  /** The name of a location in messages, inside a sentence and at its start. */
  readonly nameOf: (at: Path) => string
  readonly subject: (at: Path) => string
  /** Counters that stop references which expand without end. */
  visits: number
  inlinedRefs: number
  depth: number
  readonly resolve: (ref: string) => JsonObject | undefined
  /** The input schema that a reference of the output leads to. */
  readonly resolveOutput: (ref: string) => JsonObject | undefined
  /** The output's reference for `ref`, whose target becomes a definition of the output. */
  readonly outputRef: (ref: string) => string | undefined
  /** Referenced definitions that have not been converted yet. */
  readonly pendingDefinitions: Definition[]
  readonly refuse: (code: DiagnosticCode, path: Path, message: string) => undefined
  readonly recordChange: (code: DiagnosticCode, path: Path, message: string) => void
}

export function createConversion(root: JsonObject, path: Path, rules: StrictRules): Conversion {
  const refs: RefIndex = createRefIndex(root)
  const origins = new Map<JsonObject, Path>()
  walk(root, path, (node, at) => {
    if (!origins.has(node)) origins.set(node, at)
  })
  const written = new Map<JsonObject, string>([[root, '#']])
  const targets = new Map<string, JsonObject>([['#', root]])
  const names = new Set(definitionKeywords.flatMap(container => Object.keys(definitionsOf(root, container))))
  const pendingDefinitions: Definition[] = []
  const changes: PendingDiagnostic[] = []
  const refusals: PendingDiagnostic[] = []

  const outputRef = (ref: string): string | undefined => {
    const target = refs.resolve(ref, root)
    if (target === undefined || !isObject(target.schema)) return undefined
    const known = written.get(target.schema)
    if (known !== undefined) return known
    const [container, name] = target.path
    const isDefinition = target.path.length === 2 && isDefinitionKeyword(container)
    const definition = isDefinition
      ? { container: String(container), name: String(name) }
      : newDefinition(target.path)
    const pointer = isDefinition && isPlainRef(ref) ? ref : toPointer([definition.container, definition.name])
    written.set(target.schema, pointer)
    targets.set(pointer, target.schema)
    pendingDefinitions.push({ target: target.schema, path: [...path, ...target.path], ...definition })
    return pointer
  }

  /** A name for a target that is not a definition yet: strict mode follows references to definitions only. */
  const newDefinition = (from: Path): { container: string; name: string } => {
    const base = String(from.at(-1) ?? 'ref').replace(/[^A-Za-z0-9_]/g, '_') || 'ref'
    let name = base
    for (let count = 2; names.has(name); count++) name = `${base}_${count}`
    names.add(name)
    const usesDefinitions = !Object.hasOwn(root, '$defs') && Object.hasOwn(root, 'definitions')
    return { container: usesDefinitions ? 'definitions' : '$defs', name }
  }

  return {
    rules,
    root,
    changes,
    refusals,
    synthetic: new Map(),
    origins,
    path,
    nameOf: at => locationName(at.slice(path.length)),
    subject: at => sentenceSubject(at.slice(path.length)),
    visits: 0,
    inlinedRefs: 0,
    depth: 0,
    pendingDefinitions,
    outputRef,
    resolveOutput: ref => targets.get(ref),
    resolve: ref => {
      const schema = refs.resolve(ref, root)?.schema
      return isObject(schema) ? schema : undefined
    },
    refuse: (code, at, message) => {
      refusals.push({ code, path: at, message })
      return undefined
    },
    recordChange: (code, at, message) => {
      changes.push({ code, path: at, message })
    },
  }
}

export function definitionsOf(root: JsonObject, container: string): JsonObject {
  const definitions = own(root, container)
  return isObject(definitions) ? definitions : {}
}
