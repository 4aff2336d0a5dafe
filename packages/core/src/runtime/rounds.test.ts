import { describe, expect, test } from 'vitest'
import type { RoundAnswer, RoundLimits, RoundSteps } from './rounds.ts'
import { runRounds } from './rounds.ts'

type Facts = Partial<RoundAnswer<string>>
type Limits = Partial<RoundLimits>

/** Takes the answers one by one and records each step. `stopAfter`: the step after which the rounds are stopped. */
async function drive(answers: readonly (Facts | undefined)[], limits: Limits = {}, stopAfter?: string) {
  const taken: string[] = []
  const steps: RoundSteps<RoundAnswer<string>, string> = {
    stopped: () => stopAfter !== undefined && taken.includes(stopAfter),
    async request(round) {
      taken.push(`request ${round}`)
      const facts = answers[round - 1]
      return facts && { calls: [], othersWait: false, truncated: false, ...facts }
    },
    async run({ calls }, next) {
      taken.push(`run ${calls.join()} (${next})`)
      return calls.map(call => call.toUpperCase())
    },
    results: (_, results, next) => void taken.push(`results ${results.join()} (${next})`),
  }
  const end = await runRounds(steps, { maxRounds: 9, truncated: 'drop', ...limits })
  return { end, taken }
}

const calls = ['a', 'b']

test('The steps alternate until an answer has no calls.', async () => {
  expect(await drive([{ calls }, { calls: ['c'] }, {}])).toEqual({
    end: 'answered',
    taken: [
      'request 1',
      'run a,b (round)',
      'results A,B (round)',
      'request 2',
      'run c (round)',
      'results C (round)',
      'request 3',
      'results  (none)',
    ],
  })
})

test('The results of the round before the last one are announced as going to the last one.', async () => {
  const { end, taken } = await drive([{ calls }, { calls }, {}], { maxRounds: 3 })
  expect(end).toBe('answered')
  expect(taken.filter(step => step.startsWith('results'))).toEqual([
    'results A,B (round)',
    'results A,B (last)',
    'results  (none)',
  ])
})

test('Calls in the last round are run, so that each has a result, and no request follows.', async () => {
  const { end, taken } = await drive([{ calls }], { maxRounds: 1 })
  expect(end).toBe('limit')
  expect(taken).toEqual(['request 1', 'run a,b (none)', 'results A,B (none)'])
})

test('Calls beside those of others are run, and no request follows.', async () => {
  const { end, taken } = await drive([{ calls, othersWait: true }])
  expect(end).toBe('pending')
  expect(taken).toEqual(['request 1', 'run a,b (none)', 'results A,B (none)'])
  expect((await drive([{ othersWait: true, paused: true }])).taken).toEqual(['request 1', 'results  (none)'])
})

test('A paused answer without calls gets another request.', async () => {
  const { end, taken } = await drive([{ paused: true }, {}])
  expect(end).toBe('answered')
  expect(taken).toEqual(['request 1', 'results  (round)', 'request 2', 'results  (none)'])
})

describe('truncated calls', () => {
  const cut = { calls, truncated: true }

  test('With "drop" they end the rounds and are not run, unless others wait for the rest of the answer.', async () => {
    expect(await drive([cut])).toEqual({ end: 'cut', taken: ['request 1', 'results  (none)'] })
    const { end, taken } = await drive([{ ...cut, othersWait: true }])
    expect([end, taken[1]]).toEqual(['pending', 'run a,b (none)'])
  })

  test.each([
    ['twice in a row', [cut, cut], 2, 'cut'],
    ['twice, but not in a row', [cut, { calls }, cut, {}], 4, 'answered'],
    ['once', [cut, {}], 2, 'answered'],
  ])('With "retry" the model gets one more chance: %s.', async (_, answers, requests, end) => {
    const rounds = await drive(answers, { truncated: 'retry' })
    expect(rounds.end).toBe(end)
    expect(rounds.taken.filter(step => step.startsWith('request'))).toHaveLength(requests)
    const withCalls = answers.filter(answer => 'calls' in answer)
    expect(rounds.taken.filter(step => step.startsWith('run'))).toHaveLength(withCalls.length)
  })

  test('The chance may have been used in an earlier run.', async () => {
    const { end, taken } = await drive([cut], { truncated: 'retry', wasTruncated: true })
    expect([end, taken[1]]).toEqual(['cut', 'run a,b (none)'])
  })

  test('A refusal gives no chance.', async () => {
    expect((await drive([{ calls, refused: true }], { truncated: 'retry' })).end).toBe('cut')
  })
})

describe('stopping', () => {
  test('Steps that return no answer end the rounds.', async () => {
    expect(await drive([undefined])).toEqual({ end: 'stopped', taken: ['request 1'] })
  })

  test('No request is sent after a stop, and the results of calls that ran are taken first.', async () => {
    const { end, taken } = await drive([{ calls }, {}], {}, 'run a,b (round)')
    expect(end).toBe('stopped')
    expect(taken).toEqual(['request 1', 'run a,b (round)', 'results A,B (round)'])
  })

  test('A stop comes before the calls of others, but not before a complete answer.', async () => {
    expect((await drive([{ calls, othersWait: true }], {}, 'request 1')).end).toBe('stopped')
    expect((await drive([{}], {}, 'request 1')).end).toBe('answered')
  })
})
