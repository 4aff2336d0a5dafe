/** In every wire's folder the same job has the same file name. */
import { expect, test } from 'vitest'
import { coreSource } from '../support/house/source.ts'

/** A wire may have more files than these, for what only it has. */
const shared = [
  'annotations.ts',
  'calls.ts',
  'conversation.ts',
  'index.ts',
  'media.ts',
  'parts.ts',
  'reasoning.ts',
  'residue.ts',
  'answer/answer.ts',
  'answer/errors.ts',
  'answer/finish.ts',
  'answer/usage.ts',
  'request/request.ts',
  'request/settings.ts',
  'request/turns.ts',
  'service/held-ids.ts',
  'service/index.ts',
  'service/openapi.ts',
  'service/summary.ts',
  'stream/decoder.ts',
  'stream/encode-frames.ts',
  'stream/encode-parts.ts',
  'stream/encoder.ts',
  'stream/part-tracker.ts',
  'tools/index.ts',
  'tools/params.ts',
  'tools/profile.ts',
  'tools/tool-choice.ts',
  'tools/tools.ts',
]

/** The names of the files of a wire, under its folder. */
function filesOf(wire: string): string[] {
  const folder = `packages/core/src/wires/${wire}/`
  return coreSource.filter(({ path }) => path.startsWith(folder)).map(({ path }) => path.slice(folder.length))
}

const wires = ['chat', 'responses', 'messages']

test.each(wires)('The wire %s has every file that all wires share.', wire => {
  expect(shared.filter(name => !filesOf(wire).includes(name))).toEqual([])
})

test('The list of shared files has every name that all wires share.', () => {
  const [first = [], ...others] = wires.map(filesOf)
  expect(first.filter(name => others.every(files => files.includes(name))).sort()).toEqual(shared.toSorted())
})

test('No wire has folders other than those for tools, requests, answers, streams and its service.', () => {
  const folders = wires.flatMap(filesOf).flatMap(name => name.match(/^.*(?=\/)/)?.[0] ?? [])
  const known = ['answer', 'request', 'service', 'stream', 'tools']
  expect([...new Set(folders)].filter(folder => !known.includes(folder))).toEqual([])
})
