/** Models that think again between what they say and between their calls. They refuse an answer whose order has changed. */
import type { Json, Round, Voice } from './voices.ts'
import { blocks, list, messagesSpeech, outputOf, responsesSpeech, secret, toolUse, voices } from './voices.ts'

function interleavedBlocks(round: Round): readonly Json[] {
  const [first, ...others] = blocks(round) as [Json, ...Json[]]
  const again = { ...first, thinking: 'And again.', signature: `again-${secret(round)}` }
  const once = { ...again, signature: `once-${secret(round)}` }
  return [
    first,
    ...others,
    { type: 'text', text: 'I look ☔ ' },
    once,
    { type: 'text', text: 'twice.' },
    toolUse(round),
    again,
    toolUse(round, `${round.callId}_b`),
  ]
}

const interleavedMessagesVoice: Voice = {
  ...messagesSpeech(interleavedBlocks),
  reasoning: interleavedBlocks,
  heard: body =>
    list(body.messages).flatMap(({ role, content }) => {
      const call = role === 'assistant' ? list(content).find(({ type }) => type === 'tool_use') : undefined
      return call === undefined ? [] : [[String(call.id), list(content).map(withoutMarks)] as const]
    }),
}

/** Without what a gateway may add to any block. */
function withoutMarks({ cache_control: _, caller: __, ...block }: Json): Json {
  return block
}

function interleavedItems(round: Round): readonly Json[] {
  const { number, callId } = round
  const [first, call] = outputOf(round) as [Json, Json]
  if (callId === undefined) return [first, call]
  const again = (word: string): Json => ({
    ...first,
    id: `rs_${word}_${number}`,
    summary: [{ type: 'summary_text', text: word }],
    encrypted_content: `${word}-${secret(round)}`,
  })
  const said = { ...outputOf({ ...round, callId: undefined })[1], id: `msg_${number}` }
  const second = { ...call, id: `fc_b_${number}`, call_id: `${callId}_b` }
  return [first, said, again('once'), call, again('again'), second]
}

const interleavedResponsesVoice: Voice = {
  ...responsesSpeech(interleavedItems),
  reasoning: round => interleavedItems(round).map(bareItem),
  heard(body) {
    const found: (readonly [string, unknown])[] = []
    let items: Json[] = []
    for (const item of list(body.input)) {
      const isOwn = item.type === 'reasoning' || item.type === 'function_call' || item.role === 'assistant'
      if (isOwn) items.push(bareItem(item))
      const call = isOwn ? undefined : items.find(({ type }) => type === 'function_call')
      if (call !== undefined) found.push([String(call.call_id), items])
      if (!isOwn) items = []
    }
    return found
  },
}

/** What must come back of an item, beside what the official client adds to it: of a message only its words. */
function bareItem({ id: _, status: __, parsed_arguments: ___, ...item }: Json): Json {
  if (item.type === 'reasoning' || item.type === 'function_call') return item
  const { content } = item
  return {
    text:
      typeof content === 'string'
        ? content
        : list(content)
            .map(({ text }) => text)
            .join(''),
  }
}

/** These hear all that they have said, and are for conversations with nobody else. */
export const allVoices: typeof voices = {
  ...voices,
  'messages, interleaved': interleavedMessagesVoice,
  'responses, interleaved': interleavedResponsesVoice,
}
