/** Recognises the wire of tools, bodies and streams. */
import { type KnownOptions, refuseUnknownOptions } from './json/known-options.ts'
import type { WireDefinition } from './wires/define-wire.ts'
import { detectAnswerWire, detectRequestWire, detectStreamWire } from './wires/detect.ts'
import type { BuiltInWire } from './wires/registry.ts'
import { builtInConversations, wireNames } from './wires/registry.ts'

/** What is known of a value before its wire is guessed. */
export interface DetectOptions {
  /** What the value is; by default tools or a request. Pass the beginning of a stream as a string. */
  readonly kind?: 'request' | 'answer' | 'stream'
  /** Wires to consider beside the built-in ones. */
  readonly wires?: readonly WireDefinition[]
}

const known: KnownOptions<DetectOptions> = { kind: true, wires: true }

/** The name of the wire that a list of tools, a body or a stream was written for; `undefined` if it cannot be recognised. */
export function detectWire(value: unknown, options?: Omit<DetectOptions, 'wires'>): BuiltInWire | undefined
export function detectWire(value: unknown, options: DetectOptions): string | undefined
export function detectWire(value: unknown, options: DetectOptions = {}): string | undefined {
  refuseUnknownOptions('detectWire', options, known)
  const { kind = 'request', wires = [] } = options
  const all = [...wireNames.map(name => builtInConversations[name]), ...wires.map(wire => wire.conversation)]
  if (kind === 'stream') return detectStreamWire(String(value), all)?.wire
  return (kind === 'answer' ? detectAnswerWire(value, all) : detectRequestWire(value, all))?.wire
}
