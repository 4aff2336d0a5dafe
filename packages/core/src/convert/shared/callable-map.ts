/**
 * A map keyed by a tool's kind, name and namespace. Nearly all tools are functions without a namespace; their names
 * are used as keys directly, which saves building a string for each look-up.
 */
export class CallableMap<Value> {
  readonly #functions = new Map<string, Value>()
  readonly #others = new Map<string, Value>()

  get(kind: string, name: string, namespace?: string): Value | undefined {
    if (isPlain(kind, namespace)) return this.#functions.get(name)
    return this.#others.get(keyOf(kind, name, namespace))
  }

  set(value: Value, kind: string, name: string, namespace?: string): void {
    if (isPlain(kind, namespace)) this.#functions.set(name, value)
    else this.#others.set(keyOf(kind, name, namespace), value)
  }

  /** Keeps an existing value. */
  setFirst(value: Value, kind: string, name: string, namespace?: string): void {
    if (this.get(kind, name, namespace) === undefined) this.set(value, kind, name, namespace)
  }
}

function isPlain(kind: string, namespace: string | undefined): boolean {
  return kind === 'function' && namespace === undefined
}

/** A unique key for (kind, name, namespace). The length of the name tells where the namespace begins. */
function keyOf(kind: string, name: string, namespace: string | undefined): string {
  return namespace === undefined ? `${kind} ${name}` : `${kind}/${name.length}/${name}${namespace}`
}
