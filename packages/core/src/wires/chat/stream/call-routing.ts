/**
 * Which call a piece of a stream belongs to. The wire's rule is the `index`; servers leave it out, repeat it for
 * every call, change ids on the way or send none, so that id, name and arguments are asked as well.
 */
import type { ArgumentLog } from './argument-buffer.ts'
import { beginsArguments } from './argument-buffer.ts'

/** One member of a chunk's `tool_calls`; blank texts count as absent. */
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
  readonly log: ArgumentLog
}

export interface CallRouter<Call extends RoutedCall> {
  /** The call, `'new'`, or `'unclear'` when the piece could be two calls' and must not be guessed into either. */
  find(piece: CallPiece): Call | 'new' | 'unclear'
  /** Remembers that the piece was this call's. */
  bind(piece: CallPiece, call: Call): void
}

export function createCallRouter<Call extends RoutedCall>(): CallRouter<Call> {
  const calls: Call[] = []
  const misplaced = new Set<Call>()
  const bound = new Set<Call>()
  const byId = new Map<string, Call>()
  const byIndex = new Map<number, Call[]>()

  const at = (index: number | undefined): readonly Call[] =>
    index === undefined ? [] : (byIndex.get(index) ?? [])

  const findById = (id: string, piece: CallPiece): Call | 'new' => {
    const here = at(piece.index)
    const latest = here.at(-1)
    const last = calls.at(-1)
    const holder = byId.get(id)
    if (holder !== undefined) {
      const known = here.findLast(call => call.ids.has(id)) ?? holder
      // The same id with a name on an index of its own is a server whose ids are not unique.
      const isElsewhere = piece.index !== undefined && here.length === 0 && piece.name !== undefined
      return isElsewhere || isAnother(known, piece) ? 'new' : known
    }
    if (latest !== undefined) {
      const comesLate = latest.ids.size === 0 && !(hasBegun(latest) && piece.name !== undefined)
      if (comesLate) return latest
      // A new id with a name is a new call although the index is the old one; without a name it is an id that
      // changes with every piece.
      const isNew = piece.name !== undefined || (latest.log.isClosed && beginsArguments(piece.input))
      return isNew ? 'new' : latest
    }
    if (piece.index !== undefined || last === undefined) return 'new'
    if (last.name === undefined) return last
    return piece.name === undefined && !last.log.isClosed ? last : 'new'
  }

  const findByIndex = (piece: CallPiece): Call | 'new' | 'unclear' => {
    const here = at(piece.index)
    const latest = here.at(-1)
    if (latest === undefined) {
      const last = calls.at(-1)
      const isStray = piece.name === undefined && last !== undefined && awaits(last, piece.input)
      return isStray ? last : 'new'
    }
    if (piece.name !== undefined && latest.name !== undefined) {
      return piece.name !== latest.name || isAnother(latest, piece) ? 'new' : latest
    }
    if (here.length === 1) return latest
    const unfinished = here.filter(call => !call.log.isClosed && (call === latest || !call.log.isEmpty))
    return unfinished.length > 1 ? 'unclear' : (unfinished[0] ?? latest)
  }

  /** Nothing is expected any more of the calls before, and this one could go on with the piece. */
  const awaits = (call: Call, input: string): boolean => {
    if (!call.log.isEmpty) return !call.log.isClosed && !beginsArguments(input)
    // Its head came under an index that was another call's, so its arguments may come under the right one.
    return misplaced.has(call)
  }

  const findLast = (piece: CallPiece): Call | 'new' => {
    const last = calls.at(-1)
    if (last === undefined) return 'new'
    if (piece.name === undefined) return calls.findLast(call => !call.log.isClosed) ?? last
    if (last.name === undefined) return last
    const goesOn = last.name === piece.name && hasBegun(last) && !beginsArguments(piece.input)
    return goesOn || last.log.repeats(piece.input) ? last : 'new'
  }

  return {
    find(piece) {
      if (piece.id !== undefined) return findById(piece.id, piece)
      return piece.index === undefined ? findLast(piece) : findByIndex(piece)
    },
    bind(piece, call) {
      const isNew = !bound.has(call)
      if (isNew) {
        calls.push(call)
        bound.add(call)
      }
      if (piece.id !== undefined && !call.ids.has(piece.id)) {
        call.ids.add(piece.id)
        byId.set(piece.id, call)
      }
      if (piece.index === undefined) return
      const here = byIndex.get(piece.index)
      if (here === undefined) byIndex.set(piece.index, [call])
      else if (here.at(-1) !== call && !here.includes(call)) {
        here.push(call)
        if (isNew) misplaced.add(call)
      }
    },
  }
}

function hasBegun(call: RoutedCall): boolean {
  return call.name !== undefined && !call.log.isEmpty
}

/** A named piece that begins arguments anew, after arguments that were closed and are not repeated by it. */
function isAnother(call: RoutedCall, piece: CallPiece): boolean {
  if (piece.name === undefined || !call.log.isClosed || !beginsArguments(piece.input)) return false
  return !call.log.repeats(piece.input)
}
