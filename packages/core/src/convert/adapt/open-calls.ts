/** The calls that wait for a result, found by the tool they call: both at once, however many there are. */
export class OpenCalls {
  readonly #names = new Map<string, string>()
  readonly #ids = new Map<string, Set<string>>()

  add(id: string, name: string): void {
    this.delete(id)
    this.#names.set(id, name)
    const sameName = this.#ids.get(name)
    if (sameName === undefined) this.#ids.set(name, new Set([id]))
    else sameName.add(id)
  }

  delete(id: string): void {
    const name = this.#names.get(id)
    if (name === undefined) return
    this.#names.delete(id)
    this.#ids.get(name)?.delete(id)
  }

  /** The one call that waits; of several tools, the one to the tool of this name. */
  only(name: string | undefined): string | undefined {
    const candidates = name === undefined ? this.#names : this.#ids.get(name)
    if (candidates === undefined || candidates.size !== 1) return undefined
    const [id] = candidates.keys()
    return id
  }
}
