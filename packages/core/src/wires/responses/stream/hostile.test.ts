/** No input makes the decoder throw or break the order of its events, and the work is linear in the size of the input. */

import { describe, expect, test } from 'vitest'
import { decodeFrames, encodeStream } from '../../../../../../test/support/streams/responses.ts'
import type { Part } from '../../../model/conversation.ts'

describe('Responses streams of arbitrary contents', () => {
  test('Parts that this wire cannot express are reported and skipped.', () => {
    const path = ['content', 0]
    const parts: Part[] = [
      { kind: 'hosted', wire: 'messages', type: 'server_tool_use', value: { type: 'server_tool_use' }, path },
      { kind: 'opaque', wire: 'chat', value: { a: 1 }, path },
    ]
    for (const given of parts) {
      const { text, diagnostics } = encodeStream([
        { type: 'part-start', index: 0, part: given },
        { type: 'part-end', index: 0, part: given },
        { type: 'finish', finish: { reason: 'stop' } },
      ])
      expect(diagnostics).toMatchObject([{ code: 'part_dropped', path }])
      expect(text).not.toContain('output_item')
    }
  })

  test('Values that are nested too deep are cut and do not throw.', () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    const data = `{"type":"response.output_item.done","item":{"type":"acme","id":"x","value":${deep}}}`
    const { events } = decodeFrames([{ data }, { data: '{"type":"response.completed","response":{}}' }])
    const { text, diagnostics } = encodeStream(events)
    expect(text).toContain('response.completed')
    expect(diagnostics.map(({ code }) => code)).toContain('field_dropped')
  })
})
