import { expect, test } from 'vitest'
import { changedBody, promptBody } from './prompt-body.ts'

test('A prompt becomes the smallest request of its wire.', () => {
  const prompt = { model: 'm', text: 'Hi', system: 'Be brief.', streamed: true }
  expect(promptBody({ ...prompt, path: '/v1/chat/completions' })).toMatchObject({
    messages: [{ role: 'system' }, { role: 'user', content: 'Hi' }],
    stream: true,
  })
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
  expect(JSON.parse(changedBody('{"model":"a","input":"x"}', 'b', 'local', false))).toEqual({
    model: 'local/b',
    input: 'x',
    stream: false,
  })
})
