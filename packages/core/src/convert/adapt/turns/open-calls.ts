/** Calls without a result, indexed by id and by tool name, so that every operation takes constant time. */
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

  /** The id of the only open call, or of the only open call to the named tool. */
  only(name: string | undefined): string | undefined {
    const candidates = name === undefined ? this.#names : this.#ids.get(name)
    if (candidates === undefined || candidates.size !== 1) return undefined
    const [id] = candidates.keys()
    return id
  }
}
