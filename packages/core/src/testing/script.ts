/** Chooses the turn that answers each request, and reports requests and turns that do not match. */
import { isObject } from '../json/object.ts'
import { show } from '../json/text.ts'
import type { ScriptedTurn } from './scripted-turn.ts'
import type { SeenRequest } from './seen-request.ts'

/** Decides what a scripted model says to a request. */
export type ScriptFunction = (request: SeenRequest) => ScriptedTurn | Promise<ScriptedTurn>

/** Turns in order, one for each request, or a function that is called for every request. */
export type Script = readonly (ScriptedTurn | ScriptFunction)[] | ScriptFunction

/** The script does not match the requests: a mistake in the test, or the bug that the test finds. */
export class ScriptError extends Error {
  override readonly name: string = 'ScriptError'
}

interface ScriptReader {
  next(request: SeenRequest): Promise<ScriptedTurn>
  /** Throws when turns are left, or when a request had no turn. */
  assertDone(): void
}

export function createScriptReader(script: Script): ScriptReader {
  let taken = 0
  let failure: unknown

  const turnFor = async (request: SeenRequest): Promise<ScriptedTurn> => {
    if (typeof script === 'function') return script(request)
    const step = script[taken]
    if (step === undefined) throw new ScriptError(`${tooShort(script.length)} ${describe(request)}`)
    taken += 1
    return typeof step === 'function' ? step(request) : step
  }

  return {
    async next(request) {
      try {
        const turn: unknown = await turnFor(request)
        if (!isObject(turn))
          throw new ScriptError(`The script gave ${show(turn)} for request ${request.index + 1}, not a turn.`)
        checkFault(turn.fault, request.index + 1)
        return turn
      } catch (error) {
        failure ??= error
        throw error
      }
    },
    assertDone() {
      if (failure !== undefined) throw failure
      if (typeof script === 'function' || taken >= script.length) return
      throw new ScriptError(
        `The script has ${script.length} turns, but only ${taken} were requested. ` +
          `Next is turn ${taken + 1}: ${outline(script[taken])}.`,
      )
    },
  }
}

const faults: readonly string[] = ['cut', 'reset', 'errorFrame', 'malformed', 'stall', 'duplicate']

/** An unknown fault would be ignored, and the test would prove nothing. */
function checkFault(fault: unknown, number: number): void {
  if (fault === undefined || fault === 'unreachable') return
  const [name, after] = isObject(fault)
    ? (Object.entries(fault).find(([key]) => faults.includes(key)) ?? [])
    : []
  if (name !== undefined && typeof after === 'number' && after >= 0) return
  const known = `"unreachable", or the number of events before it under one of ${faults.join(', ')}`
  const got = name === undefined ? show(fault) : `"${name}" with ${show(after)}`
  throw new ScriptError(`The fault of the turn for request ${number} must be ${known}; got ${got}.`)
}

const tooShort = (length: number): string =>
  length === 0
    ? 'The script is empty, but the model got a request.'
    : `The script has only ${length} ${length === 1 ? 'turn' : 'turns'}, but the model got another request.`

function describe({ index, newResults, user, toolNames }: SeenRequest): string {
  const results = newResults.map(({ callId, text }) => `${callId ?? 'no id'}: ${show(text)}`)
  const brought = results.length > 0 ? `brought the results ${results.join(', ')}` : `said ${show(user)}`
  return `Request ${index + 1} ${brought}, with the tools ${toolNames.join(', ') || '(none)'}.`
}

function outline(step: ScriptedTurn | ScriptFunction | undefined): string {
  if (step === undefined || typeof step === 'function') return 'the result of its function'
  if (step.calls !== undefined) return `calls of ${step.calls.map(({ name }) => name).join(', ')}`
  if (step.error !== undefined || step.status !== undefined) return 'an error'
  return `the text ${show(step.text ?? step.refusal ?? '')}`
}
