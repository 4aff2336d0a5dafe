/** The tools a program offers, by name and in the order they were registered. */

import { type KnownOptions, refuseUnknownOptions } from '../../json/known-options.ts'
import { nearestNames } from '../../json/nearest-names.ts'
import { show } from '../../json/text.ts'
import { ToolError } from '../errors.ts'
import { defineTool } from './define-tool.ts'
import type {
  AnyDefinition,
  DefinedTool,
  Definition,
  NoSchema,
  WithDirectHandler,
  WithHandler,
} from './definition.ts'
import type { StandardSchema } from './standard-schema.ts'
import type { ToolSpec } from './tool-spec.ts'

/** Whether a tool may take the place of another of its name. */
export interface RegisterOptions {
  /** Replace a tool of the same name instead of throwing. */
  readonly replace?: boolean
}

const known: KnownOptions<RegisterOptions> = { replace: true }

/** Any iterable of names except a string, which JavaScript would iterate by characters. */
export type Names = Iterable<string> & object

/**
 * Tools by name, for those who collect them from several places.
 *
 * @example
 * ```js
 * import { encodeTools, ToolRegistry } from '@toolwire/core'
 *
 * const registry = new ToolRegistry()
 * registry.register({ name: 'now', description: 'The time', handler: () => new Date().toISOString() })
 * console.log(encodeTools(registry, { to: 'responses' }).value)
 * ```
 */
export class ToolRegistry implements Iterable<ToolSpec> {
  readonly #tools = new Map<string, ToolSpec>()

  constructor(tools: Iterable<ToolSpec | AnyDefinition> = []) {
    for (const tool of tools) this.register(tool as ToolSpec)
  }

  /** Adds a tool, or a definition of one, and returns the tool. A name can be registered once. */
  register<Tool extends ToolSpec>(tool: Tool, options?: RegisterOptions): Tool
  register<
    const Parameters extends object = NoSchema,
    Schema extends StandardSchema = never,
    const Output extends object = never,
  >(
    definition: Definition<Parameters, Schema, Output> & WithHandler<Parameters, Schema, Output>,
    options?: RegisterOptions,
  ): DefinedTool<Parameters, Schema, Output> & WithDirectHandler<Parameters, Schema, Output>
  register<
    const Parameters extends object = NoSchema,
    Schema extends StandardSchema = never,
    const Output extends object = never,
  >(
    definition: Definition<Parameters, Schema, Output>,
    options?: RegisterOptions,
  ): DefinedTool<Parameters, Schema, Output>
  register(definition: unknown, options: RegisterOptions = {}): ToolSpec {
    refuseUnknownOptions('register', options, known)
    // The overloads have checked the types for the caller; `defineTool` checks the value.
    const tool = defineTool(definition as ToolSpec)
    if (this.#tools.has(tool.name) && options.replace !== true) {
      throw new ToolError(
        'duplicate_tool',
        `A tool named "${tool.name}" is already registered. Give this one another name, unregister the first, or pass { replace: true }.`,
      )
    }
    this.#tools.set(tool.name, tool)
    return tool
  }

  /** Removes a tool; `false` if there is none of that name. */
  unregister(name: string): boolean {
    return this.#tools.delete(name)
  }

  get(name: string): ToolSpec | undefined {
    return this.#tools.get(name)
  }

  has(name: string): boolean {
    return this.#tools.has(name)
  }

  /** All tools in the order of registration, or the named ones in the order of the names. Throws for an unknown name. */
  list(names?: Names): ToolSpec[] {
    if (names === undefined) return [...this.#tools.values()]
    if (typeof names === 'object' && names !== null && Symbol.iterator in names)
      return Array.from(names, name => this.#find(name))
    const remedy = typeof names === 'string' ? ` Write [${show(names)}].` : ''
    throw new ToolError('not_a_list', `Names must be given as a list; got ${show(names)}.${remedy}`)
  }

  names(): string[] {
    return [...this.#tools.keys()]
  }

  get size(): number {
    return this.#tools.size
  }

  [Symbol.iterator](): IterableIterator<ToolSpec> {
    return this.#tools.values()
  }

  #find(name: string): ToolSpec {
    const tool = this.#tools.get(name)
    if (tool !== undefined) return tool
    const near = nearestNames(String(name), this.#tools.keys()).map(known => `"${known}"`)
    const hint = near.length === 0 ? '' : ` Did you mean ${near.join(' or ')}?`
    throw new ToolError('unknown_tool', `No tool named ${JSON.stringify(name)} is registered.${hint}`)
  }
}
