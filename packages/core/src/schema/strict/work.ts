/** What one strict conversion carries along: the rules, the references, and what was changed or refused. */

import { isObject, type JsonObject, own } from '../../json/json.ts'
import type { Path } from '../../model/diagnostic.ts'
import type { DiagnosticCode } from '../../model/diagnostic-codes.ts'
import { createRefIndex, type RefIndex, toPointer } from '../refs/refs.ts'
import { containers, isContainer, walk } from '../walk.ts'
import { nameOf, subject } from './messages.ts'
import { isPlainRef, type StrictRules } from './rules.ts'

interface Note {
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

export interface Work {
  readonly rules: StrictRules
  readonly root: JsonObject
  /** What was done; told only when the conversion succeeds. */
  readonly changes: Note[]
  /** Why it cannot be done; one is enough to leave the schema as it is. */
  readonly refusals: Note[]
  /** Keyed by the `properties` of the output's objects, which survive copies of the schema around them. */
  readonly synthetic: Map<JsonObject, Set<string>>
  /** Where a schema of the input stands there, however it was moved about. */
  readonly origin: ReadonlyMap<JsonObject, Path>
  readonly path: Path
  /** What messages call a place, inside a sentence and at its beginning. */
  readonly nameOf: (at: Path) => string
  readonly subject: (at: Path) => string
  /** Bounds against references that unfold without end. */
  visits: number
  inlined: number
  depth: number
  readonly target: (ref: string) => JsonObject | undefined
  /** What a reference of the output leads to, as it stands in the input. */
  readonly targetOfWritten: (ref: string) => JsonObject | undefined
  /** The reference to write for `ref`; its target becomes a definition of the output. */
  readonly refTo: (ref: string) => string | undefined
  /** Definitions that are referred to and not yet asked for. */
  readonly wanted: Definition[]
  readonly refused: (code: DiagnosticCode, path: Path, message: string) => undefined
  readonly changed: (code: DiagnosticCode, path: Path, message: string) => void
}

export function createWork(root: JsonObject, path: Path, rules: StrictRules): Work {
  const refs: RefIndex = createRefIndex(root)
  const origin = new Map<JsonObject, Path>()
  walk(root, path, (node, at) => {
    if (!origin.has(node)) origin.set(node, at)
  })
  const written = new Map<JsonObject, string>([[root, '#']])
  const targets = new Map<string, JsonObject>([['#', root]])
  const names = new Set(containers.flatMap(container => Object.keys(definitionsOf(root, container))))
  const wanted: Definition[] = []
  const changes: Note[] = []
  const refusals: Note[] = []

  const refTo = (ref: string): string | undefined => {
    const target = refs.resolve(ref, root)
    if (target === undefined || !isObject(target.schema)) return undefined
    const known = written.get(target.schema)
    if (known !== undefined) return known
    const [container, name] = target.path
    const inPlace = target.path.length === 2 && isContainer(container)
    const place = inPlace ? { container: String(container), name: String(name) } : newPlace(target.path)
    const pointer = inPlace && isPlainRef(ref) ? ref : toPointer([place.container, place.name])
    written.set(target.schema, pointer)
    targets.set(pointer, target.schema)
    wanted.push({ target: target.schema, path: [...path, ...target.path], ...place })
    return pointer
  }

  /** Strict mode follows references to definitions only, so other targets become one. */
  const newPlace = (from: Path): { container: string; name: string } => {
    const base = String(from.at(-1) ?? 'ref').replace(/[^A-Za-z0-9_]/g, '_') || 'ref'
    let name = base
    for (let count = 2; names.has(name); count++) name = `${base}_${count}`
    names.add(name)
    const old = !Object.hasOwn(root, '$defs') && Object.hasOwn(root, 'definitions')
    return { container: old ? 'definitions' : '$defs', name }
  }

  return {
    rules,
    root,
    changes,
    refusals,
    synthetic: new Map(),
    origin,
    path,
    nameOf: at => nameOf(at.slice(path.length)),
    subject: at => subject(at.slice(path.length)),
    visits: 0,
    inlined: 0,
    depth: 0,
    wanted,
    refTo,
    targetOfWritten: ref => targets.get(ref),
    target: ref => {
      const schema = refs.resolve(ref, root)?.schema
      return isObject(schema) ? schema : undefined
    },
    refused: (code, at, message) => {
      refusals.push({ code, path: at, message })
      return undefined
    },
    changed: (code, at, message) => {
      changes.push({ code, path: at, message })
    },
  }
}

export function definitionsOf(root: JsonObject, container: string): JsonObject {
  const definitions = own(root, container)
  return isObject(definitions) ? definitions : {}
}
