/**
 * A tool as all three wires can mean it. Schemas are carried by reference and never rewritten here; fields
 * that a wire says with `null` are absent in the model and come back through the residue.
 */

import type { JsonObject } from '../json/json.ts'
import type { Path } from './diagnostic.ts'
import type { Residue } from './residue.ts'

interface ToolBase {
  /** Where the tool stood in the caller's input. */
  readonly root: Path
  readonly residue?: Residue
}

interface CallableTool extends ToolBase {
  /** The object that held the fields: the tool itself, or one inside it. */
  readonly path: Path
  readonly name: string
  readonly description?: string
  /** The tool is found through a tool search instead of being shown to the model at once. */
  readonly deferLoading?: boolean
  /** Who this tool is for the client that declared it, once an adaptation has changed how it looks. */
  readonly origin?: ToolOrigin
}

/** A tool whose arguments are a JSON object. */
export interface FunctionTool extends CallableTool {
  readonly kind: 'function'
  /** JSON Schema of the arguments, exactly as given. */
  readonly parameters?: unknown
  readonly parametersPath: Path
  /** JSON Schema of the result. */
  readonly outputSchema?: unknown
  /**
   * `true` and `false` as stated; absent: unstated, and that means non-strict; `auto`: unstated on a wire
   * whose server then tries strict and falls back.
   */
  readonly strict?: boolean | 'auto'
  /** Declared in Chat's deprecated `functions`. */
  readonly legacy?: boolean
  /** A `strict` that stood where servers do not look for it. */
  readonly misplacedStrict?: boolean
  /** Takes back what a schema pass added to the arguments, such as synthetic nulls. */
  readonly undoArguments?: (args: unknown) => unknown
}

/** A tool whose input is free text, optionally bound to a grammar. */
export interface CustomTool extends CallableTool {
  readonly kind: 'custom'
  readonly format?: CustomFormat
}

export type CustomFormat =
  | { readonly type: 'text' }
  | { readonly type: 'grammar'; readonly syntax: string; readonly definition: string }

/** Tools under one name. A call names both the namespace and the tool. */
export interface NamespaceTool extends ToolBase {
  readonly kind: 'namespace'
  readonly name: string
  readonly description?: string
  readonly tools: readonly Tool[]
}

/** A tool its wire defines by type alone: the provider runs it, or the client knows how. */
export interface HostedTool extends ToolBase {
  readonly kind: 'hosted'
  readonly wire: string
  readonly type: string
  /** The kind of tool behind dated and renamed types, such as `web_search`; choices may use any of them. */
  readonly family: string
  /** Tells apart several tools of one family, such as MCP servers. */
  readonly label?: string
  readonly executor: 'client' | 'provider'
  /** The definition verbatim, for its own wire. */
  readonly definition: JsonObject
  /** How the tool looks as an ordinary function. */
  readonly emulation?: Emulation
  /** The tool in neutral terms, where another wire has one of its kind. */
  readonly webSearch?: WebSearch
  /** The target has such a tool itself and is to be told in its own words. */
  readonly mapped?: boolean
}

export interface Emulation {
  readonly name: string
  readonly description?: string
  readonly parameters: JsonObject
  /** Keys of the definition that the emulation already says. */
  readonly says?: readonly string[]
}

export interface WebSearch {
  /** How much of what it finds is read: `low`, `medium` or `high`. */
  readonly contextSize?: string
  readonly allowedDomains?: readonly unknown[]
  readonly userLocation?: JsonObject
  /** What only the declaring wire can say about its search. */
  readonly residue: Residue
}

/** A tool the codec does not know or could not read. It goes back to its own wire verbatim. */
export interface OpaqueTool extends ToolBase {
  readonly kind: 'opaque'
  readonly wire: string
  readonly value: unknown
}

export type Tool = FunctionTool | CustomTool | NamespaceTool | HostedTool | OpaqueTool

/** The identity of a tool on the client's side, kept so that a call to its adapted form can be restored. */
export interface ToolOrigin {
  readonly kind: 'function' | 'custom' | 'hosted'
  readonly name: string
  readonly namespace?: string
  /** The hosted tool's type, such as `local_shell`, and its label. */
  readonly type?: string
  readonly family?: string
  readonly label?: string
  /** Set when a handler of the caller's, and not the client, will run the call. */
  readonly handled?: boolean
}

export interface ToolRef {
  readonly kind: 'function' | 'custom' | 'hosted'
  /** For a hosted tool, its type: `file_search`, `mcp`. */
  readonly name: string
  readonly namespace?: string
  readonly family?: string
  readonly label?: string
  /** On this wire hosted tools have names too, so the name may mean one. */
  readonly namesHosted?: boolean
  readonly path: Path
  readonly residue?: Residue
  /** A hosted reference verbatim, for its own wire. */
  readonly definition?: JsonObject
}

export type ToolChoice = {
  readonly path: Path
  /** Said in Chat's deprecated `function_call`. */
  readonly legacy?: boolean
  readonly residue?: Residue
} & (
  | { readonly mode: 'auto' | 'none' | 'required' }
  | { readonly mode: 'tool'; readonly tool: ToolRef }
  | { readonly mode: 'allowed'; readonly required: boolean; readonly tools: readonly ToolRef[] }
  | { readonly mode: 'opaque'; readonly wire: string; readonly value: unknown }
)

/** The part of a request that speaks of tools. */
export interface ToolParams {
  readonly tools?: readonly Tool[]
  /** Tools declared in the middle of the input. They stay there on their own wire and are merged elsewhere. */
  readonly additionalTools?: readonly Tool[]
  readonly choice?: ToolChoice
  readonly parallel?: boolean
  readonly parallelPath?: Path
  readonly residue?: Residue
}
