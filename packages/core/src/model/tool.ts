/**
 * A tool in neutral terms. Schemas are held by reference and never modified here. A field that a wire sends as `null` is
 * absent in the model and is written back from the residue.
 */

import type { JsonObject } from '../json/object.ts'
import type { CacheBreakpoint } from './conversation.ts'
import type { Path } from './diagnostic.ts'
import type { Residue } from './residue.ts'

interface ToolBase {
  /** The tool's path in the caller's input. */
  readonly root: Path
  readonly residue?: Residue
  /** Declared in the middle of the conversation, where it replaces an earlier tool of its name. */
  readonly inHistory?: boolean
  readonly cache?: CacheBreakpoint
}

interface CallableBase extends ToolBase {
  /** The path of the object with the fields: the tool itself, or one inside it. */
  readonly path: Path
  readonly name: string
  readonly description?: string
  /** The LLM finds the tool through a tool search instead of seeing it at once. */
  readonly deferLoading?: boolean
  /** The tool as the client declared it, once an adaptation has changed it. */
  readonly origin?: ToolOrigin
}

/** A tool whose arguments are a JSON object. */
export interface FunctionTool extends CallableBase {
  readonly kind: 'function'
  /** JSON Schema of the arguments, exactly as in the input. */
  readonly parameters?: unknown
  readonly parametersPath: Path
  /** JSON Schema of the result. */
  readonly outputSchema?: unknown
  readonly outputSchemaPath?: Path
  /**
   * `true` and `false` as stated. Absent: not stated, which means non-strict. `auto`: not stated on a wire whose server
   * then tries strict mode and falls back.
   */
  readonly strict?: boolean | 'auto'
  /** Declared in Chat's deprecated `functions`. */
  readonly legacy?: boolean
  /** `strict` was in a position that servers ignore. */
  readonly misplacedStrict?: boolean
  /** Removes what a schema pass made the LLM add to the arguments, such as nulls for absent properties. */
  readonly undoArguments?: (args: unknown) => unknown
  /** The target takes no arguments of this form, so they were made a property of an object: its name. */
  readonly wrappedIn?: string
}

/** A tool whose input is free text, optionally constrained by a grammar. */
export interface CustomTool extends CallableBase {
  readonly kind: 'custom'
  readonly format?: CustomFormat
}

export type CustomFormat =
  | { readonly type: 'text' }
  | { readonly type: 'grammar'; readonly syntax: string; readonly definition: string }

/** A named group of tools. A call names both the namespace and the tool. */
export interface NamespaceTool extends ToolBase {
  readonly kind: 'namespace'
  readonly name: string
  readonly description?: string
  readonly tools: readonly Tool[]
}

/** A tool that its wire defines by its type: the provider runs it, or the client implements it. */
export interface HostedTool extends ToolBase {
  readonly kind: 'hosted'
  readonly wire: string
  readonly type: string
  /** The name that dated and renamed types share, such as `web_search`; a tool choice may use any of them. */
  readonly family: string
  /** Distinguishes several tools of one family, such as MCP servers. */
  readonly label?: string
  readonly executor: 'client' | 'provider'
  /** The definition verbatim, for its own wire. */
  readonly definition: JsonObject
  /** The tool as an ordinary function. */
  readonly emulation?: Emulation
  /** The tools that this entry declares, as ordinary functions. */
  readonly toolset?: Toolset
  /** The tool in neutral terms, if other wires have an equivalent. */
  readonly webSearch?: WebSearch
  /** The target has an equivalent tool and must be sent that. */
  readonly mapped?: boolean
}

export interface Emulation {
  readonly name: string
  readonly description?: string
  readonly parameters: JsonObject
  /** Keys of the definition that the emulation already expresses. */
  readonly coveredKeys?: readonly string[]
}

export interface ToolsetMember extends Pick<Emulation, 'name' | 'description' | 'parameters'> {
  readonly deferLoading?: boolean
}

/** Several tools that one entry declares. Their calls name the toolset as a namespace. */
export interface Toolset {
  readonly name: string
  readonly description: string
  readonly members: readonly ToolsetMember[]
  /** What the members do not express. */
  readonly residue: Residue
}

export interface WebSearch {
  /** How much of the results the LLM reads: `low`, `medium` or `high`. */
  readonly contextSize?: string
  readonly allowedDomains?: readonly unknown[]
  readonly userLocation?: JsonObject
  /** It may only read what the provider has cached. No other search keeps to that. */
  readonly cachedOnly?: boolean
  /** Options that only the declaring wire has. */
  readonly residue: Residue
}

/** A tool that the codec does not know or could not read. It is written to its own wire verbatim. */
export interface OpaqueTool extends ToolBase {
  readonly kind: 'opaque'
  readonly wire: string
  readonly value: unknown
}

/** A tool whose calls have a name of its own. */
export type CallableTool = FunctionTool | CustomTool

export function isCallable(tool: Tool): tool is CallableTool {
  return tool.kind === 'function' || tool.kind === 'custom'
}

/** A tool in the neutral model. */
export type Tool = CallableTool | NamespaceTool | HostedTool | OpaqueTool

/** The identity of a tool for the client, stored so that a call of its adapted form can be restored. */
export interface ToolOrigin {
  readonly kind: 'function' | 'custom' | 'hosted'
  readonly name: string
  readonly namespace?: string
  /** The hosted tool's type, such as `local_shell`, and its label. */
  readonly type?: string
  readonly family?: string
  readonly label?: string
  /** Set if a handler of the caller, instead of the client, will run the call. */
  readonly handled?: boolean
}

/** The tool that a choice names. */
export interface ToolRef {
  readonly kind: 'function' | 'custom' | 'hosted'
  /** For a hosted tool, its type: `file_search`, `mcp`. */
  readonly name: string
  readonly namespace?: string
  readonly family?: string
  readonly label?: string
  /** On this wire hosted tools have names too, so the name may refer to one. */
  readonly namesHosted?: boolean
  readonly path: Path
  readonly residue?: Residue
  /** A hosted reference verbatim, for its own wire. */
  readonly definition?: JsonObject
}

/** Whether and which tool must be called. */
export type ToolChoice = {
  readonly path: Path
  /** Declared in Chat's deprecated `function_call`. */
  readonly legacy?: boolean
  readonly residue?: Residue
} & (
  | { readonly mode: 'auto' | 'none' | 'required' }
  | { readonly mode: 'tool'; readonly tool: ToolRef }
  | { readonly mode: 'allowed'; readonly required: boolean; readonly tools: readonly ToolRef[] }
  | { readonly mode: 'opaque'; readonly wire: string; readonly value: unknown }
)

/** The conversation offers or withdraws a declared tool. */
export interface ToolChange {
  readonly kind: 'offered' | 'withdrawn'
  readonly name: string
  readonly path: Path
}

/** The part of a request that is about tools. */
export interface ToolParams {
  readonly tools?: readonly Tool[]
  /** Tools declared in the middle of the input. They stay there on their own wire and are merged into `tools` on others. */
  readonly additionalTools?: readonly Tool[]
  /** Tools that the conversation offers or withdraws in its middle, in order; the last change of each counts. */
  readonly changes?: readonly ToolChange[]
  readonly choice?: ToolChoice
  readonly parallel?: boolean
  readonly parallelPath?: Path
  readonly residue?: Residue
}
