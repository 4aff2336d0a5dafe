/**
 * Failures of other software that converts between the three wires, and what went wrong there. A test that shows the
 * right behaviour cites the code in its title, as in `[field B13]`. R is Responses, C is Chat, M is Messages.
 */

const histories = {
  A01: 'parallel calls became one assistant message each, and their results followed none of them',
  A03: 'reasoning before a call was dropped, and the upstream asked for it back',
  A05: 'a result without its call was forwarded as a bare tool message',
  A07: 'a call that was never answered was forwarded as it was, and refused',
  A09: 'two results for one call were both forwarded',
  A11: 'an id was rewritten at the call and not at its result',
  A13: 'an image in a result was flattened to base64 text in the prompt',
  A15: 'a user message was put after a tool message, which some upstreams refuse',
  A17: 'parts of a custom tool’s output were renamed as if the model had written them',
  A19: 'an output that is not a text was sent as an object, or lost its elements',
  A21: 'a developer message was dropped or refused',
  A23: 'complete items that carry ids were taken for references to stored ones',
  A25: 'a request to compact the history was answered as if it were a question',
  A27: 'an assistant message with calls and no text left an empty message item behind',
  A29: 'an item of a call carried a role',
  A31: 'a result without an id was refused although its call was plain to see',
  A33: 'the id of an item and the id of a call were mixed up',
  A35: 'empty arguments in a history broke the call and left its result alone',
  A37: 'arguments that are not JSON dropped the call and kept its result',
  A39: 'a search for tools lost what it had found, or call and output shared one id',
  A41: 'the output of a hosted call was kept and the call left out',
  A43: 'the id of a call was kept and the id of its reasoning left out',
}

const definitions = {
  B01: 'strict was left out on the way to R, where that means true',
  B03: 'a tool without parameters was lost on the way to M',
  B05: 'oneOf stayed in a strict schema, which forbids it',
  B07: 'a default stayed in a strict schema, which forbids it',
  B09: 'one schema that cannot be strict had the whole request refused',
  B11: 'long names were refused, or cut so that two became the same',
  B13: 'a custom tool’s grammar was dropped, and its calls came without input',
  B15: 'tools of a namespace were dropped, or their calls came back flat',
  B17: 'a call to a namespaced tool by its short name was called unknown',
  B19: 'a hosted tool had the request refused, or was dropped in silence, or became junk',
  B21: 'the format of a custom tool was not nested as the other wire nests it',
  B23: 'the choice of one tool by name was refused or dropped in silence',
  B25: 'a malformed tool choice became auto in silence, or a crash',
  B27: 'a forced tool was combined with thinking, which M refuses',
  B29: 'an M tool without a type was an error',
  B31: 'a restriction of tools was evaded by declaring one in another form',
}

const answers = {
  C01: 'calls in an answer were dropped, and only its text came through',
  C03: 'the finish reason said stop although there were calls, which nobody ran',
  C05: 'an answer cut off in a call was given as complete, and half of it was run',
  C07: 'text and calls of an answer changed their order',
  C09: 'the object field was empty or missing, which client libraries refuse',
  C11: 'a count of reasoning tokens was made up, or its object was missing',
  C13: 'the mark that a result is an error was lost',
  C15: 'a made-up call that wraps parallel calls was passed on as an unknown tool',
}

const streamsFromChat = {
  D01: 'two calls became one item, or shared one output index',
  D03: 'calls were told apart by their position in a chunk and not by their index',
  D05: 'an empty id or name in a later delta overwrote the first',
  D07: 'an index used again for a new call joined the two calls',
  D09: 'arguments that were repeated at the end were taken twice',
  D11: 'a message and a call shared one output index, and the call was dropped',
  D13: 'a stream that ended without a finish reason left its items open',
  D15: 'a connection that broke looked like a clean end',
  D17: 'an error before any output came as a stream with status 200',
  D19: 'a call without arguments was missing at the end',
  D21: 'the id of a response changed between its first and its last event',
  D23: 'events of custom tools and of functions were mistaken for one another',
  D25: 'escapes that were cut between two deltas leaked into a custom tool’s input',
  D27: 'thinking came in a block that had never been opened',
  D29: 'the input of a tool stood in the start of its block, where clients see none',
  D31: 'characters and line ends that were cut between chunks lost or invented events',
}

const streamsToChat = {
  E01: 'calls were numbered by output index, or all the same',
  E03: 'a call that only stood in a closing event was lost',
  E05: 'two finish reasons were sent, and clients believed the second',
  E07: 'a stream that failed ended like an empty success',
  E09: 'ids changed from chunk to chunk, and empty names were sent along',
  E11: 'a call was begun before its name was known',
  E13: 'the empty input of a block’s start was put before its arguments',
  E15: 'an overloaded upstream in the middle of a stream looked like a short answer',
}

const messagesRequests = {
  F01: 'text beside results came between a call and its result',
  F03: 'several results became several user messages',
  F05: 'ids with characters that M forbids were refused',
  F07: 'M blocks in a C request were stripped as orphans, and tools ran for ever',
  F09: 'a result with an image, a document or nothing was refused or dropped',
}

const stateAndLimits = {
  G01: 'calls of a stored response were not replayed before their results',
  G03: 'a stored response was named and its history sent as well',
  G05: 'calls were remembered for everybody, under their bare id, and for ever',
  G07: 'one tool that threw took the results of the others with it',
  G09: 'tools that never started were recorded as failed',
  G11: 'a call that was cut off was run because its text happened to parse',
  G13: 'trimming a history separated a call from its result',
  G15: 'a body above the limit was refused with HTML, or the limit was far too low',
}

/** What went wrong elsewhere, by code. */
export const fieldFailures: { readonly [code: string]: string } = {
  ...histories,
  ...definitions,
  ...answers,
  ...streamsFromChat,
  ...streamsToChat,
  ...messagesRequests,
  ...stateAndLimits,
}
