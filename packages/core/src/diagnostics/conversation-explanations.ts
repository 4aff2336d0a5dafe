/** What the diagnostics about conversations mean. */
import type { ConversationCode } from '../model/diagnostic-codes.ts'
import type { Explanation } from './explanation.ts'

export const conversationExplanations: { readonly [Code in ConversationCode]: Explanation } = {
  context_dropped: {
    title: 'The earlier conversation is stored where the target cannot reach it',
    explanation:
      "The request continues a conversation that is stored on the source wire's server. The target gets only the new turns and does not know the earlier ones.",
    remedy: 'Send the full conversation, or use a gateway with a store, which adds the earlier turns.',
  },
  demand_dropped: {
    title: 'The request asks for something only its own wire can do',
    explanation:
      'An item asks the server to act, for instance to compact the conversation, and a client waits for that to happen. The target cannot do it, and answering as if nothing had been asked would mislead the client.',
    remedy: 'Send such requests to a server of the source wire, or answer them yourself.',
  },
  media_refused: {
    title: 'The target cannot take what the user put in',
    explanation:
      'The newest turn holds an image, a file, audio or a video in a form that the target cannot read, such as the id of a file at another provider. An answer would ignore it without a word, so the request is refused.',
    remedy:
      'Send it in a form that the target takes, as data for instance, or choose another model. The option "media" allows a note in its place.',
  },
  media_replaced: {
    title: 'A note takes the place of media that the target cannot take',
    explanation:
      'An earlier turn, or a result of a tool, holds an image, a file, audio or a video that the target cannot read. The model sees a note that something was there.',
    remedy: 'Send it in a form that the target takes, as data for instance.',
  },
  request_emptied: {
    title: 'Nothing is left to ask the model',
    explanation:
      'The request holds no message, or none that has a form on the target. Servers refuse a conversation without messages.',
    remedy: 'Add a message of the user.',
  },
  part_dropped: {
    title: 'A part of the conversation that the target cannot express',
    explanation:
      'The part belongs to its own wire alone: a call the provider ran itself, a reference to something it stored, or a kind this library does not know. It was left out.',
    remedy:
      'If the model needs it, write it as text, or send the request to a server that speaks the source wire.',
  },
  part_as_text: {
    title: 'A part of the conversation that the target gets as text',
    explanation:
      'The part belongs to its own wire alone: a summary of the conversation, a message of another agent, a call that the provider ran itself. What it says can be read, so it was sent as text. Fields that cannot be read, such as ciphertext, are reported by themselves.',
    remedy: 'Nothing to do; the model sees the content, though not in its original form.',
  },
  progress_dropped: {
    title: "Progress of the provider's own tools was left out",
    explanation:
      'The stream reported the progress of a tool that the provider runs: searching, interpreting, a partial image. Other wires have no events for that; the result of the tool is part of its item.',
    remedy: 'Nothing to do; if both wires are the same, such events are sent on unchanged.',
  },
  event_dropped: {
    title: 'Events of a stream that the target cannot express',
    explanation:
      'The stream has events of a type that belongs to its own wire alone, or that this library does not know. They were left out; each type is reported once.',
    remedy:
      'If the client needs them, let it speak the wire of the server: then such events are sent on unchanged.',
  },
  finish_unknown: {
    title: 'An answer that ends with an unknown word',
    explanation:
      'The server gave a reason for the end of its answer that no vendor documents. It may mean that the answer broke off, so the answer counts as incomplete and a call that may be cut is not run.',
    remedy: 'Look up what the server means by the word; report it if it should be known here.',
  },
  arguments_not_object: {
    title: 'Arguments that are not a JSON object',
    explanation:
      'The target takes arguments only as an object, and the model wrote something else, often because it was cut off, or nested it too deep. The text was wrapped so that it is not lost.',
    remedy: 'Answer such a call with an error result, so that the model can correct itself.',
  },
  input_unwrapped: {
    title: 'A free-text call in another form than asked for',
    explanation:
      'The target has no free-text tools, so the model was asked for an object with one string, "input". It wrote something else: another key, a bare string, a list with the name of the tool, or more than the text. Where that can be read in only one way, the client gets the text; otherwise it gets what the model wrote.',
    remedy:
      'Nothing to do if the call works; otherwise say in the description of the tool what its input is.',
  },
  orphan_result: {
    title: 'A result without its call',
    explanation: 'Every server refuses a result whose call is not in the conversation.',
    remedy:
      'Send the call along, or convert with `pairing: "repair"`, which adds one, or `"drop"`, which leaves the result out.',
  },
  missing_result: {
    title: 'A call without its result',
    explanation: 'Every server refuses a conversation that goes on while a call is unanswered.',
    remedy:
      'Send the result along, or convert with `pairing: "repair"`, which adds a placeholder, or `"drop"`, which leaves the call out.',
  },
  result_repaired: {
    title: 'A missing call or result was added',
    explanation:
      'Because of the policy "repair" the missing half was added: a call without arguments, or a result that says that it is unavailable.',
    remedy: 'Send complete conversations; the repair is only a workaround.',
  },
  unpaired_dropped: {
    title: 'A call without its result, or a result without its call, was left out',
    explanation: 'Because of the policy "drop" the half that was there was left out of the request.',
    remedy: 'Send complete conversations, or use the policy "repair" if the model should know of the half.',
  },
  duplicate_result: {
    title: 'A call with more than one result',
    explanation: 'A call has one result. The last one is used, at the position of the first.',
    remedy: 'Send each result once.',
  },
  call_id_missing: {
    title: 'A call or result without an id',
    explanation:
      'Results find their calls by id. Without one, and with more than one call to choose from, they cannot be paired.',
    remedy: 'Give every call an id and repeat it on its result.',
  },
  call_id_inferred: {
    title: 'A call or result without an id was paired',
    explanation: 'Only one call was waiting for a result, so this one was taken to answer it.',
    remedy: 'Nothing to do; sending the id is safer.',
  },
  call_id_rewritten: {
    title: 'A call has another id on the target',
    explanation:
      'The id is too long or uses characters that the target refuses. Call and result were changed alike.',
    remedy: 'Nothing to do.',
  },
  duplicate_call_id: {
    title: 'Two calls with one id',
    explanation: 'Their results cannot be told apart.',
    remedy: 'Give every call of a conversation an id of its own.',
  },
  reasoning_sealed: {
    title: 'Sealed reasoning was left out',
    explanation:
      'Signed or encrypted reasoning can be read only by the provider that made it, and another one may refuse it.',
    remedy: 'Nothing to do.',
  },
  reasoning_dropped: {
    title: 'Reasoning was left out',
    explanation: 'The target takes no reasoning as text in the history.',
    remedy: 'For an upstream that does, set `profile: { reasoningText: true }`.',
  },
  reasoning_as_text: {
    title: 'Reasoning was sent as a text',
    explanation:
      'The target takes no reasoning but its own. What the client could read of it stays in the conversation, as a text of the assistant.',
    remedy:
      'Nothing to do. It happens after a change of the upstream, and with reasoning that no upstream here has sent.',
  },
  reasoning_foreign: {
    title: 'Sealed reasoning of another upstream was left out',
    explanation:
      'The conversation has changed its upstream. Sealed reasoning goes back only to the upstream that it came from.',
    remedy: 'Nothing to do. It is sent again if the conversation returns to its upstream.',
  },
  reasoning_unreadable: {
    title: 'Sealed reasoning could not be opened',
    explanation:
      'It was changed on its way, sealed for a client with another key, or sealed by a gateway that has another key of its own.',
    remedy:
      'Let gateways that share clients share a store, or set the same `sealKeys` for all of them. When `sealKeys` change, keep the earlier ones behind the new one.',
  },
  reasoning_added: {
    title: 'A blank took the place of missing reasoning',
    explanation:
      'The target refuses calls in the history without the reasoning that led to them. Another model made this call, or the client did not return its reasoning and the gateway has not kept it.',
    remedy:
      'Nothing to do after a change of the upstream. Otherwise give the gateway a store, and do not send `store: false`.',
  },
  reasoning_too_long: {
    title: 'Reasoning is too long to be sent back',
    explanation:
      'The client was sent what it can read of it, but nothing for it to send back to the upstream.',
    remedy: 'Limit the reasoning of the model, for instance by its effort.',
  },
  result_media_hoisted: {
    title: 'An image or file of a result follows in a message',
    explanation:
      'On the target a result holds only text, so what else it held comes in a message right behind all results.',
    remedy: 'Nothing to do.',
  },
  role_changed: {
    title: 'A message has another role on the target',
    explanation: 'The target has no developer role; its nearest is system.',
    remedy: 'For an upstream that has it, set `profile: { developerRole: true }`.',
  },
  setting_replaced: {
    title: 'A setting that a later one replaces',
    explanation:
      'The conversation sets it again in its middle, and the target has one place for it. The last value was sent; it alone decides about the answer.',
    remedy: 'Nothing to do.',
  },
  setting_merged: {
    title: 'A setting in the middle of the conversation was moved to the request',
    explanation:
      'The source wire changes settings by an item in the conversation. The target has them beside the conversation, so the value was sent there. A provider that caches by prefix may read the prompt anew when it changes.',
    remedy: 'Nothing to do.',
  },
  turn_cleared: {
    title: 'A message that its own provider no longer shows',
    explanation:
      'The message asked to be shown to the model only until the next message of the user, and that has come. It stays in the history, and was left out for the target.',
    remedy: 'Nothing to do.',
  },
  turn_compacted: {
    title: 'A summary stands for a message',
    explanation:
      'The conversation was compacted after this message. The summary is sent in place of what came before it; instructions and the last turns stay.',
    remedy: 'Nothing to do. Clients may leave out what came before the summary.',
  },
  compaction_unreadable: {
    title: 'A summary of the conversation could not be read',
    explanation:
      'It was made by another server, changed on its way, sealed for a client with another key, or sealed by a gateway that has another key of its own. A note stands in its place, and the conversation goes on without it.',
    remedy:
      'Continue the conversation where its summary was made, or send the turns before the summary too. Let gateways that share clients share a store, or set the same `sealKeys` for all of them.',
  },
  compaction_empty: {
    title: 'There is nothing to summarise',
    explanation: 'The request asks for a summary of its conversation, which holds instructions at most.',
    remedy: 'Send the conversation in the request, or refer to it.',
  },
  compaction_ignored: {
    title: 'The upstream made no summary',
    explanation:
      'The request asks for a summary once it has so many tokens. By the count of the upstream it has them, and the upstream, of which nothing is known, answered without one.',
    remedy:
      'Nothing to do: for later requests the gateway has the summaries made. Set `compacts` in the `profile` of the upstream to say at once whether it makes them.',
  },
  result_deferred: {
    title: 'A result that does not follow its call',
    explanation:
      'On the source wire a conversation may go on while a tool runs, or a tool may report without a call. The target needs a result after every call, so a placeholder stands there, and what the tool returned later is a message.',
    remedy: 'Nothing to do; the model sees the result where it arrived.',
  },
  output_limit_added: {
    title: 'The target demands a limit for the output',
    explanation: 'Messages takes no request without one, and the client gave none.',
    remedy:
      'Give a limit with the request. By default it is the most that the model can write and its window has room for; `profile: { largestOutput, contextWindow }` says what they are, and `defaultOutputLimit` is for models that are not known.',
  },
  cache_breakpoints_added: {
    title: 'Cache breakpoints were set for the client',
    explanation:
      'Messages caches only what is marked, and the client has set no mark: its own provider caches by itself. The end of the tools, of the instructions and of the last two turns of the user were marked. What is read from a cache costs much less, and what is written to it a little more: a conversation that goes on earns it back.',
    remedy: 'Nothing to do; `profile: { cachesOnRequest: false }` sets none.',
  },
  output_limit_raised: {
    title: 'The output limit was below the minimum of the target',
    explanation: 'Responses refuses limits below 16 tokens, so the minimum was sent.',
    remedy: 'Give a higher limit.',
  },
  reasoning_switched_off: {
    title: 'Reasoning was switched off so that functions can be used',
    explanation:
      'Some models refuse functions on Chat Completions unless reasoning is explicitly off, also if the request does not mention it.',
    remedy: 'Send such models to Responses, where they do both.',
  },
  tools_refused: {
    title: 'The model takes no tools on this wire',
    explanation:
      'OpenAI serves its newest models on Chat Completions only without tools. The request would be refused.',
    remedy:
      'Let the gateway ask such models on Responses: give the upstream `"speaks": ["chat", "responses"]`.',
  },
  effort_changed: {
    title: 'The model has no such effort',
    explanation:
      'Models differ in the words for effort that they accept. The nearest word below was sent, or the nearest above if there is none.',
    remedy: 'Ask for an effort that the model has.',
  },
  identifier_shortened: {
    title: 'A name of a user or a cache was too long for the target',
    explanation:
      'OpenAI takes 64 characters and Claude Code sends 150. The beginning stays, and a hash of the whole name follows, so that the same name always becomes the same text and others become others.',
    remedy: 'Nothing to do; `profile: { identifierMaxLength }` says what an upstream takes.',
  },
  call_not_allowed: {
    title: 'The model called a tool that the request did not allow',
    explanation:
      'The request allowed no calls, or named the tools that may be called, and the upstream let the model call another. The call was not sent to the client.',
    remedy: 'Nothing to do; if it happens often, the upstream ignores `tool_choice`.',
  },
  parallel_call_dropped: {
    title: 'A second call where the request allowed one at a time',
    explanation:
      'The request switched parallel calls off, and the upstream let the model make several at once. Only the first one was sent to the client.',
    remedy: 'Nothing to do: the model can make the other call when it has the result of the first.',
  },
}
