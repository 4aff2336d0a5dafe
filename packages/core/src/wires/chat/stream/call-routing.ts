/**
 * Which call a piece of a stream belongs to. The wire's rule is the `index`; servers leave it out, repeat it for
 * every call, change ids on the way or send none, so that id, name and arguments are considered as well.
 */
import type { ArgumentBuffer } from './argument-buffer.ts'
import { beginsArguments } from './argument-buffer.ts'

/** One member of a chunk's `tool_calls`; blank strings count as absent. */
export interface CallPiece {
  readonly index?: number
  readonly id?: string
  readonly name?: string
  readonly input: string
}

/** What routing knows of a call. */
export interface RoutedCall {
  readonly ids: Set<string>
  readonly name: string | undefined
  readonly input: ArgumentBuffer
}

export class CallRouter<Call extends RoutedCall> {
  readonly #calls: Call[] = []
  readonly #known = new Set<Call>()
  readonly #byId = new Map<string, Call>()
  readonly #byIndex = new Map<number, Call[]>()
  /** Calls that began under an index that another call had already. */
  readonly #misplaced = new Set<Call>()

  /** The call, `'new'`, or `'unclear'` when the piece could belong to two calls and must not be guessed into either. */
  find(piece: CallPiece): Call | 'new' | 'unclear' {
    if (piece.id !== undefined) return this.#findById(piece.id, piece)
    return piece.index === undefined ? this.#findLast(piece) : this.#findByIndex(piece)
  }

  /** Records that the piece belongs to this call. */
  bind(piece: CallPiece, call: Call): void {
    const isNew = !this.#known.has(call)
    if (isNew) {
      this.#calls.push(call)
      this.#known.add(call)
    }
    if (piece.id !== undefined && !call.ids.has(piece.id)) {
      call.ids.add(piece.id)
      this.#byId.set(piece.id, call)
    }
    if (piece.index === undefined) return
    const here = this.#byIndex.get(piece.index)
    if (here === undefined) this.#byIndex.set(piece.index, [call])
    else if (here.at(-1) !== call && !here.includes(call)) {
      here.push(call)
      if (isNew) this.#misplaced.add(call)
    }
  }

  #findById(id: string, piece: CallPiece): Call | 'new' {
    const here = this.#at(piece.index)
    const latest = here.at(-1)
    const holder = this.#byId.get(id)
    if (holder !== undefined) {
      const known = here.findLast(call => call.ids.has(id)) ?? holder
      // The same id with a name on an index of its own: the ids of this server are not unique.
      const isElsewhere = piece.index !== undefined && here.length === 0 && piece.name !== undefined
      return isElsewhere || isAnotherCall(known, piece) ? 'new' : known
    }
    if (latest !== undefined) {
      const isLateId = latest.ids.size === 0 && !(hasBegun(latest) && piece.name !== undefined)
      if (isLateId) return latest
      // A new id with a name is a new call, although the index is the old one. Without a name, this server sends
      // another id with every piece.
      const isNew = piece.name !== undefined || (latest.input.isClosed && beginsArguments(piece.input))
      return isNew ? 'new' : latest
    }
    const last = this.#calls.at(-1)
    if (piece.index !== undefined || last === undefined) return 'new'
    if (last.name === undefined) return last
    return piece.name === undefined && !last.input.isClosed ? last : 'new'
  }

  #findByIndex(piece: CallPiece): Call | 'new' | 'unclear' {
    const here = this.#at(piece.index)
    const latest = here.at(-1)
    if (latest === undefined) {
      const last = this.#calls.at(-1)
      const isStray = piece.name === undefined && last !== undefined && this.#expects(last, piece.input)
      return isStray ? last : 'new'
    }
    // Before its arguments, a call may get its name in pieces.
    const isFragment = latest.input.isEmpty && (latest.ids.size > 0 || !beginsArguments(piece.input))
    if (piece.name !== undefined && latest.name !== undefined && !isFragment) {
      return piece.name !== latest.name || isAnotherCall(latest, piece) ? 'new' : latest
    }
    if (here.length === 1) return latest
    const unfinished = here.filter(call => !call.input.isClosed && (call === latest || !call.input.isEmpty))
    return unfinished.length > 1 ? 'unclear' : (unfinished[0] ?? latest)
  }

  #findLast(piece: CallPiece): Call | 'new' {
    const last = this.#calls.at(-1)
    if (last === undefined) return 'new'
    if (piece.name === undefined) return this.#calls.findLast(call => !call.input.isClosed) ?? last
    if (last.name === undefined) return last
    const continues = last.name === piece.name && hasBegun(last) && !beginsArguments(piece.input)
    return continues || last.input.isRepeatedBy(piece.input) ? last : 'new'
  }

  #at(index: number | undefined): readonly Call[] {
    return index === undefined ? [] : (this.#byIndex.get(index) ?? [])
  }

  /** Whether arguments under an unknown index can be those of this call. */
  #expects(call: Call, input: string): boolean {
    if (!call.input.isEmpty) return !call.input.isClosed && !beginsArguments(input)
    // It began under an index of another call, so its arguments may come under the right one.
    return this.#misplaced.has(call)
  }
}

function hasBegun(call: RoutedCall): boolean {
  return call.name !== undefined && !call.input.isEmpty
}

/** A named piece that begins new arguments after others were complete, and does not repeat those. */
function isAnotherCall(call: RoutedCall, piece: CallPiece): boolean {
  if (piece.name === undefined || !call.input.isClosed || !beginsArguments(piece.input)) return false
  return !call.input.isRepeatedBy(piece.input)
}
