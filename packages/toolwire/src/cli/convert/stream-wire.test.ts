import { describe, expect, it } from 'vitest'
import { guessStreamWire } from './stream-wire.ts'

describe('the wire of a stream', () => {
  it.each([
    ['data: {"object":"chat.completion.chunk","choices":[]}\n\n', 'chat'],
    ['data: {"choices":[]}\n\n', 'chat'],
    ['data: [DONE]\n\n', 'chat'],
    ['data: {"error":{"message":"m"}}\n\n', 'chat'],
    ['event: response.created\ndata: {"type":"response.cre', 'responses'],
    ['data: {"type":"response.output_text.delta","delta":"x"}\n\n', 'responses'],
    ['event: error\ndata: {"type":"error","code":"c","message":"m"}\n\n', 'responses'],
    ['event: message_start\n', 'messages'],
    ['data: {"type":"content_block_delta","index":0}\n\n', 'messages'],
    ['event: error\ndata: {"type":"error","error":{"type":"api_error"}}\n\n', 'messages'],
    ['\ufeff: hello\n\nevent: ping\ndata: {"type":"ping"}\n\ndata: {"choices":[]}\n\n', 'chat'],
    ['data: {"choices":\r\ndata: []}\r\n\r\n', 'chat'],
    ['data:{"choices":[]}\r\r', 'chat'],
    [': only a comment\n\n', undefined],
    ['event: ping\ndata: {"type":"ping"}\n\n', undefined],
    ['data: {"choi', undefined],
    ['event: error\n', undefined],
    ['data: {}\n\n', undefined],
    ['data: "chat"\n\n', undefined],
    ['', undefined],
  ])('%j: %s', (text, wire) => expect(guessStreamWire(text)).toBe(wire))
})
