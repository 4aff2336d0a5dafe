import { expect, test } from 'vitest'
import { changedBody, inLines, promptBody } from './prompt-body.ts'

test('A prompt becomes the smallest request of its wire.', () => {
  const prompt = { model: 'm', text: 'Hi', system: 'Be brief.', streamed: true }
  expect(promptBody({ ...prompt, path: '/v1/chat/completions' })).toMatchObject({
    messages: [{ role: 'system' }, { role: 'user', content: 'Hi' }],
    stream: true,
    stream_options: { include_usage: true },
  })
  expect(promptBody({ ...prompt, path: '/v1/chat/completions', streamed: false })).not.toHaveProperty(
    'stream_options',
  )
  expect(promptBody({ ...prompt, path: '/v1/responses' })).toMatchObject({
    instructions: 'Be brief.',
    input: 'Hi',
  })
  expect(promptBody({ ...prompt, path: '/v1/messages' })).toMatchObject({
    system: 'Be brief.',
    max_tokens: 1024,
  })
})

test('An edited request keeps everything but what was chosen.', () => {
  const target = { path: '/v1/responses', model: 'b', upstream: 'local', streamed: false }
  expect(JSON.parse(changedBody('{"model":"a","input":"x"}', target))).toEqual({
    model: 'local/b',
    input: 'x',
    stream: false,
  })
})

test('An edited request keeps its numbers as they were written.', () => {
  const body = '{"seed":9007199254740993,"n":[1.0,-2e3],"input":"\\"12345678901234567890","model":"a"}'
  const target = { path: '/v1/responses', model: 'b', upstream: '', streamed: false }
  for (const text of [inLines(body), changedBody(body, target)]) {
    for (const kept of ['"seed": 9007199254740993', '1.0', '-2e3', '"\\"12345678901234567890"'])
      expect(text).toContain(kept)
  }
})

test('Only a stream has options of one, and a new stream of Chat tells its usage.', () => {
  const target = { path: '/v1/chat/completions', model: 'm', upstream: '', streamed: true }
  const whole = '{"model":"m","messages":[]}'
  const streamed = changedBody(whole, target)
  expect(JSON.parse(streamed)).toMatchObject({ stream: true, stream_options: { include_usage: true } })
  expect(JSON.parse(changedBody(streamed, { ...target, streamed: false }))).not.toHaveProperty(
    'stream_options',
  )
  expect(JSON.parse(changedBody('{"stream":true}', target))).not.toHaveProperty('stream_options')
  expect(JSON.parse(changedBody(whole, { ...target, path: '/v1/responses' }))).not.toHaveProperty(
    'stream_options',
  )
})
