/**
 * Space on the disk of a store. A small file beside it holds some space, which is freed on a full disk: deleting needs
 * space too, since SQLite writes what changes before it overwrites what was.
 */
import { closeSync, ftruncateSync, openSync, statfsSync, statSync, writeSync } from 'node:fs'

const megabyte = 1024 * 1024
const reserveBytes = megabyte
/** With less than this a response might not fit, so the store counts as full. */
const leastFreeBytes = 8 * megabyte

export class DiskSpace {
  readonly #file: string
  readonly #path: string

  constructor(path: string) {
    this.#path = path
    this.#file = `${path}-reserve`
  }

  /** Holds the reserve again if somebody has freed it. Returns whether the disk has room for it and for a response. */
  hold(): boolean {
    if (this.#size() < reserveBytes && !this.#resize(reserveBytes)) return false
    return this.#free() >= leastFreeBytes
  }

  /** As `hold`, but really takes the space for a moment: neither quotas nor every file system show what is free. */
  probe(): boolean {
    return this.hold() && this.#resize(reserveBytes + leastFreeBytes) && this.#resize(reserveBytes)
  }

  release(): void {
    this.#resize(0)
  }

  #size(): number {
    return statSync(this.#file, { throwIfNoEntry: false })?.size ?? 0
  }

  #free(): number {
    try {
      const { bavail, bsize } = statfsSync(this.#path)
      return bavail * bsize
    } catch {
      // Not every file system can tell.
      return Number.POSITIVE_INFINITY
    }
  }

  /** Zeros are written, for a file that is only said to be long takes no space. A resize that fails changes nothing. */
  #resize(bytes: number): boolean {
    let file: number | undefined
    const before = this.#size()
    try {
      file = openSync(this.#file, 'a', 0o600)
      if (before > bytes) ftruncateSync(file, bytes)
      for (let at = before; at < bytes; ) at += writeSync(file, zeros, 0, Math.min(megabyte, bytes - at))
      return true
    } catch {
      if (file !== undefined) ftruncateSync(file, before)
      return false
    } finally {
      if (file !== undefined) closeSync(file)
    }
  }
}

const zeros = new Uint8Array(megabyte)
