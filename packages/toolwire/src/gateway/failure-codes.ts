/** What the gateway's own failures mean and what to do about them: the codes in its errors, logs and traces. */

import { tenantFailures } from './tenants/failures.ts'

export interface FailureMeaning {
  readonly title: string
  readonly remedy: string
}

/** Of what an upstream holds. */
const othersOwn = (what: string): FailureMeaning => ({
  title: `The request names a ${what} of the upstream’s that another key has, or that does not exist.`,
  remedy:
    'Name one that the same key was given or made. "unknownIds" of the upstream is about those that nobody has here.',
})

export const failureCodes: { readonly [code: string]: FailureMeaning } = {
  already_exists: {
    title: 'There already is a conversation of this id.',
    remedy: 'Choose another id, or delete that conversation first.',
  },
  answer_too_deep: {
    title: 'The upstream’s answer is nested too deep, or is too long, to be passed on.',
    remedy: 'Ask for less. Nothing of the answer was kept.',
  },
  audio_not_found: othersOwn('spoken answer'),
  background_without_tools: {
    title: 'A background response would run where nobody could run the gateway’s tools for it.',
    remedy: 'Leave out "background", give the gateway a store, or set the upstream’s "state" to "gateway".',
  },
  body_too_deep: {
    title: 'The JSON of the request body is nested deeper than the gateway takes.',
    remedy: 'Nest it less, or raise "limits.depth".',
  },
  body_too_large: {
    title: 'The request body is longer than the gateway takes.',
    remedy:
      'Send less, or raise "limits.bodyBytes", "limits.loopBytes" or "limits.memoryBytes", whichever the message names.',
  },
  body_too_many_nodes: {
    title: 'The JSON of the request body has more values than the gateway takes.',
    remedy:
      'Send fewer, or raise "limits.nodes", "limits.headNodes" or "limits.loopNodes", whichever the message names.',
  },
  cancelled: { title: 'A background response was cancelled.', remedy: 'Nothing; it was asked for.' },
  client_gone: {
    title: 'The client closed the connection; the upstream was told to stop.',
    remedy: 'Nothing.',
  },
  client_stalled: {
    title: 'The client took nothing of its answer for too long and was cut off.',
    remedy: 'Read the stream as it comes, or raise "limits.clientStallMs".',
  },
  compaction_failed: {
    title: 'The conversation was to be summarised, and the model wrote no complete summary.',
    remedy: 'Ask again, or with a model that has a larger window and output limit.',
  },
  container_not_found: othersOwn('container'),
  conversation_not_found: {
    title: 'There is no such conversation, or it is another key’s.',
    remedy: 'Create it with POST /v1/conversations and the same key.',
  },
  duplicate_item: {
    title: 'The conversation already has an item of this id.',
    remedy: 'Leave out what it has, or give the new item an id of its own.',
  },
  events_gone: {
    title: 'The events of this response are not, or no longer, here to be streamed again.',
    remedy:
      'Ask for the response without "stream". Only "background" with "stream" keeps events, for a while.',
  },
  file_not_found: othersOwn('file'),
  history_too_large: {
    title: 'The history that the request refers to needs more memory than one request may take.',
    remedy: 'Begin a new conversation, or raise "limits.memoryBytes" and the heap of the process.',
  },
  host_not_allowed: {
    title: 'The request was for a Host this gateway does not answer to.',
    remedy: 'Add the name to "allowedHosts" if it is yours.',
  },
  internal_error: {
    title: 'The gateway itself failed.',
    remedy: 'Its log has the reason at level error; please report it.',
  },
  invalid: {
    title: 'The store refused what it was to keep: an id or a value has no sound form.',
    remedy: 'The message names the place.',
  },
  invalid_content_encoding: {
    title: 'The request body is not compressed in the way that its header says.',
    remedy: 'Compress it so, or leave the header out.',
  },
  invalid_host: {
    title: 'The request names two hosts, or one that is not a host.',
    remedy: 'Send one "Host", the same as in the address.',
  },
  invalid_api_key: {
    title: 'The key is missing or none of the gateway’s.',
    remedy: 'Send one of "keys" as "Authorization: Bearer …" or "x-api-key".',
  },
  invalid_message: {
    title: 'A message on a WebSocket cannot be read.',
    remedy: 'Send one JSON object, with each name once and without escapes, as text.',
  },
  invalid_stream_id: {
    title: 'A message names its lane in a way that no lane can be named.',
    remedy: 'Use 1 to 256 letters, digits, "_", "." or "-".',
  },
  invalid_upgrade: {
    title: 'The request for a WebSocket is not valid.',
    remedy: 'Send the headers of RFC 6455; every WebSocket client does.',
  },
  item_not_found: {
    title: 'A reference points at an item that is not stored, or is another key’s.',
    remedy: 'Send the item itself, or store the response that holds it.',
  },
  key_memory_full: {
    title: 'The requests of this key take all the memory that one key may have.',
    remedy: 'Try again when some have ended, or raise "limits.keyMemoryBytes".',
  },
  memory_full: {
    title: 'The requests in flight take all the memory that there is for them.',
    remedy: 'Try again in a moment, or raise "limits.memoryBytes" and the heap of the process.',
  },
  method_not_allowed: { title: 'The path takes another method.', remedy: 'See the "allow" header.' },
  missing_model: { title: 'The request names no model.', remedy: 'Give its name as "model".' },
  model_not_found: {
    title: 'No upstream serves this model.',
    remedy: 'Look at GET /v1/models, or add the name to an upstream’s "models" or "rename".',
  },
  mutually_exclusive_parameters: {
    title: 'previous_response_id and conversation were sent together.',
    remedy: 'Send one of them; each brings its own history.',
  },
  no_metrics: {
    title: 'The gateway keeps no metrics.',
    remedy: 'Give "createGateway" its "metrics"; "toolwire serve" always keeps them.',
  },
  no_inspector: {
    title: 'The gateway serves no inspector.',
    remedy: 'Start it without "--no-inspector", with traces, and with a key if other machines reach it.',
  },
  no_store: { title: 'The gateway runs without a store.', remedy: 'Start it with "--store".' },
  no_traces: {
    title: 'The gateway keeps no traces.',
    remedy: 'Set "trace.entries" above 0, or give "createGateway" its "traces".',
  },
  no_usage: {
    title: 'The gateway does not add up what is used.',
    remedy: '"toolwire serve" does; as a library, give "createGateway" its "usage".',
  },
  not_a_background_response: {
    title: 'Only background responses can be cancelled.',
    remedy: 'Close the connection to stop another.',
  },
  operator_key: {
    title: 'An operator’s key was sent where only clients’ keys are for.',
    remedy: 'Send one of "keys"; operators’ keys open the metrics and the traces.',
  },
  operators_only: {
    title: 'This is only for operators.',
    remedy: 'Send one of "operatorKeys".',
  },
  origin_not_allowed: {
    title: 'A page of this origin or site may not use the gateway.',
    remedy: 'Add the origin to "allowedOrigins" if it is yours.',
  },
  previous_response_failed: {
    title: 'The response to go on from failed or was cancelled, so it is not known what it would have said.',
    remedy: 'Go on from the one before it: send its request again.',
  },
  previous_response_not_found: {
    title: 'The response to go on from is unknown, has expired, was not stored, or is another key’s.',
    remedy:
      'Send the whole history, and store the response next time. With several keys, what an upstream holds is known only from answers through this gateway; see "unknownIds".',
  },
  lease_lost: {
    title:
      'The response had ended before: another gateway on the same store ended it, because this one was silent for some seconds.',
    remedy: 'Ask again. If it happens often, the machine or its connection to the store is too slow.',
  },
  previous_response_unfinished: {
    title: 'The response to go on from is still being worked on.',
    remedy: 'Ask for it with GET /v1/responses/{id} until it has ended.',
  },
  prompt_not_found: othersOwn('prompt'),
  record_damaged: {
    title: 'What is stored under this id is not what was written: its checksum does not match.',
    remedy:
      'Delete it, or restore a backup of the store; "toolwire store verify" lists all that is damaged in a file.',
  },
  response_deleted: {
    title: 'A background response was deleted while it was being worked on; the work has ended.',
    remedy: 'Nothing; it was asked for.',
  },
  response_interrupted: {
    title:
      'The client interrupted a response on its WebSocket. It ends as incomplete, without what was being written; one that only the upstream keeps has failed.',
    remedy: 'Nothing; it was asked for.',
  },
  response_not_active: {
    title: 'The client interrupted a response that is not being written on that lane, or no longer.',
    remedy: 'Name the lane of the response, or ignore it: the response has ended.',
  },
  response_not_found: {
    title: 'There is no such response, or it is another key’s.',
    remedy: 'Store it ("store" left out or true) and ask with the same key.',
  },
  server_restart: {
    title: 'The process that worked on this response ended before it was done.',
    remedy: 'Ask again.',
  },
  shared_path: {
    title: 'With several keys, this path would show a client what others have at the upstream.',
    remedy: 'Set the upstream’s "unknownIds" to "pass" if all clients may see it.',
  },
  shutting_down: { title: 'The gateway is being stopped.', remedy: 'Try again in a moment.' },
  skill_not_found: othersOwn('skill'),
  steering_not_supported: {
    title: 'The client tried to steer a response on its WebSocket, which no gateway can do over other wires.',
    remedy: 'Wait until the response has ended, then send the input with "response.create".',
  },
  store_unavailable: {
    title: 'The store takes no writes now, or its disk is full.',
    remedy: 'Look at its disk (GET /ready has the reason), or send "store": false.',
  },
  stream_failed: {
    title: 'The upstream’s stream said that it failed, or ended before it was over.',
    remedy: 'See the message; "toolwire trace" has what came.',
  },
  thread_already_continued: {
    title: 'An answer in a thread of Messages was continued before; each is continued once.',
    remedy:
      'Continue the latest answer, or send the whole conversation in a new thread. Anthropic’s SDK does that by itself.',
  },
  thread_continue_in_flight: {
    title: 'Another request is continuing the same answer of a thread.',
    remedy:
      'Wait for it, or send the whole conversation in a new thread. Anthropic’s SDK does that by itself.',
  },
  thread_fingerprint_mismatch: {
    title: 'A request changes the system prompt or the tools of its thread.',
    remedy: 'Leave them out, or create a new thread.',
  },
  thread_not_found: {
    title: 'There is no such thread, or no longer, or it is another key’s.',
    remedy: 'Send the whole conversation in a new thread. Anthropic’s SDK does that by itself.',
  },
  thread_unsupported_request: {
    title:
      'The request cannot be part of a thread: there is no store, it is too large, or it asks for thinking or context management.',
    remedy: 'Send the whole conversation without "thread". Anthropic’s SDK does that by itself.',
  },
  tool_not_found: {
    title: 'The gateway runs no tool of that name.',
    remedy: 'GET /toolwire/status lists the tools that it runs.',
  },
  too_many_feeds: {
    title: 'A key has as many feeds of the inspector open as one may have.',
    remedy: 'Close some pages of the inspector.',
  },
  too_many_items: {
    title: 'A request adds more items to a conversation than the gateway takes at once.',
    remedy: 'Send several requests, or raise "limits.items".',
  },
  too_large: {
    title: 'One record is larger than the whole store may be.',
    remedy: 'Raise the store’s limit, or send "store": false.',
  },
  too_many_background_responses: {
    title: 'Too many background responses are being worked on, of all keys or of this one.',
    remedy: 'Wait for some to end, or raise "limits.background" or "limits.keyBackground".',
  },
  too_busy: {
    title: 'Too many requests are in flight, and too many wait.',
    remedy: 'Try again in a moment, or raise "limits.exchanges" or "limits.queue".',
  },
  too_many_requests: {
    title: 'This key has too many requests in flight.',
    remedy: 'Wait for some to end, or raise "limits.keyExchanges".',
  },
  total_timeout: {
    title: 'The whole exchange took too long.',
    remedy: 'Raise the upstream’s "timeouts.totalMs".',
  },
  trace_not_found: {
    title: 'There is no such trace, or it was dropped for newer ones.',
    remedy: '"toolwire trace" lists what there is; raise "trace.entries" to keep more.',
  },
  tunnel_not_found: othersOwn('tunnel'),
  unknown_cursor: {
    title: 'A page was asked for after an item that is not in the list.',
    remedy: 'Begin again without "after".',
  },
  unknown_message_type: {
    title: 'A message on a WebSocket is of a type that is not known here.',
    remedy: 'Send "response.create" or "response.interrupt".',
  },
  unknown_id: {
    title: 'A path names what does not exist at the upstream, or what another key made there.',
    remedy: 'With several keys each client reaches what it made through this gateway; see "unknownIds".',
  },
  unknown_route: {
    title: 'Nothing is served under this path.',
    remedy:
      'Look at the client’s base address; GET /openapi.json lists what there is. Other paths pass to an upstream whose "otherPaths" names them.',
  },
  upstream_redirect: {
    title: 'An upstream answered with a redirect, which is not followed: the key is for its address alone.',
    remedy: 'Correct the address of the upstream.',
  },
  unsupported_content_encoding: {
    title: 'The request body is compressed in a way that cannot be read here.',
    remedy: 'Send it plain, or in an encoding that the message names.',
  },
  unsupported_media_type: {
    title: 'The body was not sent as JSON.',
    remedy: 'Send "content-type: application/json".',
  },
  'upstream_<status>': {
    title: 'The upstream refused with this HTTP status, as in upstream_429.',
    remedy: 'See the message, which is the upstream’s own; on 401 and 403 look at its "apiKey".',
  },
  unsupported_parameter: {
    title: 'A request on a WebSocket asks for what sockets do not have.',
    remedy: 'Leave the field out, or send the request without a socket.',
  },
  upgrade_required: {
    title:
      'The path is for WebSockets, and none can be opened: they are switched off, or the server has none.',
    remedy: 'Send POST /v1/responses with "stream", or set "webSockets" to "on".',
  },
  upstream_connect_timeout: {
    title: 'The upstream could not be connected to in time.',
    remedy: 'Is it running, and is "baseUrl" right? "toolwire doctor" looks.',
  },
  upstream_cut: {
    title: 'The upstream’s answer broke off.',
    remedy: 'Ask again; nothing is repeated once the client has heard something.',
  },
  upstream_error: {
    title: 'The upstream answered with an error although its status said otherwise.',
    remedy: 'See the message.',
  },
  upstream_disabled: {
    title:
      'The upstream that serves this model is switched off: its settings are not complete, or nothing answers at its address.',
    remedy:
      'Do what the message says, such as setting the variable with its key or starting the server, which is then found by itself; "toolwire doctor" looks.',
  },
  upstream_failed: {
    title:
      'One of several upstreams for a model failed, and its answer had begun, so no other could be asked.',
    remedy: 'Ask again. The log names the upstreams that failed, and why.',
  },
  upstream_first_byte_timeout: {
    title: 'The upstream did not begin to answer in time.',
    remedy: 'Raise its "timeouts.firstByteMs" for slow models.',
  },
  upstream_idle_timeout: {
    title:
      'The upstream fell silent in the middle of an answer, or sent only comments and pings for too long.',
    remedy:
      'Raise its "timeouts.idleMs" (nothing comes), or "timeouts.pingMs" (only pings come), if it really thinks that long.',
  },
  upstream_malformed: {
    title: 'The upstream answered with what is not JSON.',
    remedy: 'Look at "toolwire trace".',
  },
  upstream_reset: {
    title: 'The upstream closed the connection after the request was sent, before it began to answer.',
    remedy:
      'It may have worked on the request. Look into its log; a proxy between may close idle connections too soon. "fallbackOn" with "reset" lets the next upstream answer instead.',
  },
  upstream_too_large: {
    title: 'The upstream’s answer is longer than the gateway takes.',
    remedy: 'Raise "limits.answerBytes" or "limits.memoryBytes", whichever the message names.',
  },
  upstream_unreachable: {
    title: 'The upstream could not be reached.',
    remedy: 'Is it running, and is "baseUrl" right? "toolwire doctor" looks.',
  },
  vector_store_not_found: othersOwn('vector store'),
  voice_not_found: othersOwn('voice'),
  websocket_connection_limit_reached: {
    title: 'A WebSocket has been open for as long as one may be.',
    remedy: 'Open a new one. Clients do that by themselves. Or raise "limits.socketMs".',
  },
  worker_failed: {
    title: 'A worker thread that converted a large request or answer has stopped.',
    remedy:
      'Try again; the log has the reason. If it had too little memory, send less or raise the heap limit.',
  },
  workers_busy: {
    title: 'All worker threads are busy with large requests, and many wait.',
    remedy: 'Try again later, or raise "limits.workers".',
  },
  ...tenantFailures,
}
