/** What the trace API returns: the list, a trace, its reading, a body on every wire, and the state of the gateway. */
import { schemaParts } from '@toolwire/core/wires'
import { type Node, schemaRef } from './parts.ts'

const { flag, integer, list, openObject, text } = schemaParts
const number: Node = { type: 'number' }
const anyObject: Node = { type: 'object' }
const anything: Node = {}

const described = (schema: Node, description: string): Node => ({ ...schema, description })
const mapOf = (values: Node): Node => ({ type: 'object', additionalProperties: values })
const milliseconds = (description: string): Node => described(number, `${description}, in milliseconds.`)
const sinceStart = (description: string): Node => milliseconds(`${description}, since the start`)
const path = described(
  list({ type: ['string', 'integer'] }),
  'Keys and indexes from the body to the place, the outermost first.',
)

const summary = openObject(
  'An exchange as it stands in the list and in the log. What is not known is left out.',
  {
    id: described(text, 'The request, as in `x-request-id`.'),
    state: { enum: ['running', 'ended'] },
    time: described(text, 'When it began, in ISO 8601.'),
    route: described(text, 'A template, such as `POST /v1/responses`.'),
    target: described(text, 'Method and path where no route is known.'),
    status: integer,
    client: described(text, 'The program that asked, by its `User-Agent`.'),
    conversation: described(text, 'The same for all exchanges of one conversation.'),
    turn: described(integer, 'Within the conversation, from 1: how often the user had spoken.'),
    follows: described(
      text,
      'The exchange that it goes on from: whose answer it continues, or whose history it repeats.',
    ),
    continues: described(
      text,
      'The answer that it continues, where the process that served it does not know whose answer that is.',
    ),
    lane: described(text, 'The `stream_id` of the socket that it came on.'),
    prompt: described(text, 'The beginning of what the user said last.'),
    wire: described(text, 'The client’s.'),
    upstream: text,
    upstream_wire: text,
    model: described(text, 'Asked for.'),
    upstream_model: described(text, 'Used.'),
    streamed: flag,
    first_byte_ms: milliseconds('From the start to the first byte for the client'),
    total_ms: milliseconds('From the start to the end'),
    overhead_ms: milliseconds('The gateway’s own share'),
    input_tokens: integer,
    output_tokens: integer,
    cache_read_tokens: integer,
    reasoning_tokens: integer,
    cost_usd: described(number, 'Where the price is known.'),
    input_cost_usd: described(number, 'What of it was paid for the input.'),
    cached_cost_usd: described(number, 'What of that was paid for what came from a cache.'),
    finish: text,
    response_id: described(text, 'The id of the answer.'),
    client_calls: described(integer, 'Tool calls returned to the client.'),
    tool_runs: described(integer, 'Tool calls that the gateway ran itself.'),
    tool_failures: integer,
    tools: described(list(text), 'The tools that were called or run, each name once.'),
    losses: integer,
    loss_codes: described(mapOf(integer), 'How often each code is among the losses.'),
    retries: integer,
    failed_upstreams: described(text, 'Those that failed before another was asked, and why.'),
    rounds: described(integer, 'Requests to the upstream, without retries.'),
    failure: described(text, 'A code.'),
    abandoned: described(flag, 'The client left before the end.'),
    answer_bytes: described(integer, 'Of the client’s answer, so far.'),
  },
  ['id', 'state', 'time', 'route', 'client_calls', 'tool_runs', 'losses', 'retries', 'abandoned'],
)

const diagnostic = openObject(
  'What was lost or adapted, and where.',
  { code: text, severity: { enum: ['info', 'warning', 'error'] }, path, message: text, omitted: integer },
  ['code', 'severity', 'path', 'message'],
)

const part = openObject(
  'One request or answer.',
  {
    line: described(text, 'The first line of a request, or the status of an answer.'),
    headers: mapOf(text),
    text,
    size: described(integer, 'In bytes, as it was on the wire.'),
    cut: described(flag, 'Whether only the beginning is here; the last line then says so.'),
    at_ms: sinceStart('When it began'),
    end_ms: sinceStart('When its last piece came or went'),
    event_times_ms: described(list(number), 'Of a stream: when each event was complete.'),
  },
  ['text', 'size', 'cut'],
)
const view = openObject(
  'One side, a part for each request to the upstream.',
  { parts: list(part), omitted: described(integer, 'Parts of which nothing was stored.') },
  ['parts', 'omitted'],
)

const attempt = openObject(
  'One request to an upstream.',
  {
    upstream: text,
    round: integer,
    at_ms: sinceStart('When it began'),
    connected_ms: sinceStart('When there was a connection'),
    ended_ms: sinceStart('When the head of the answer was there, or no hope of one'),
    status: integer,
    failure: described(text, 'A code, where there was no answer.'),
  },
  ['upstream', 'round', 'at_ms'],
)

const trace = openObject(
  'One exchange, keys masked.',
  {
    summary: schemaRef('TraceSummary'),
    failure: openObject('Why it failed.', { code: text, message: text }, ['code', 'message']),
    client_calls: described(list(text), 'The names of the tool calls returned to the client.'),
    tool_runs: list(
      openObject(
        'A tool that the gateway ran.',
        {
          name: text,
          call_id: text,
          status: text,
          duration_ms: number,
          at_ms: sinceStart('When it began'),
        },
        ['name', 'call_id', 'status', 'duration_ms'],
      ),
    ),
    losses: list(schemaRef('TraceDiagnostic')),
    notes: described(list(schemaRef('TraceDiagnostic')), 'What was adapted without a loss.'),
    attempts: list(attempt),
    views: openObject('The four sides.', {
      'client-request': schemaRef('TraceView'),
      'upstream-request': schemaRef('TraceView'),
      'upstream-answer': schemaRef('TraceView'),
      'client-answer': schemaRef('TraceView'),
    }),
  },
  ['summary', 'client_calls', 'tool_runs', 'losses', 'views'],
)

const said = openObject(
  'One text, call, result or the like.',
  {
    who: {
      enum: ['system', 'user', 'assistant', 'thinking', 'call', 'result', 'refusal', 'error', 'other'],
    },
    text,
    title: described(text, 'The tool of a call, or how a result ended.'),
    callId: described(text, 'Of a call and of its result.'),
    image: described(text, 'A `data:` address.'),
    path,
  },
  ['who', 'text'],
)
const allSaid = list(schemaRef('Said'))

const sides = openObject(
  'Both sides of a request or of an answer; a stream as the answer that it makes up.',
  {
    client: anyObject,
    upstream: anyObject,
    pairs: list(
      openObject(
        'Places that mean the same.',
        {
          kind: { enum: ['setting', 'tool', 'message', 'other'] },
          label: text,
          client: list(path),
          upstream: list(path),
        },
        ['kind', 'label', 'client', 'upstream'],
      ),
    ),
  },
  ['pairs'],
)

const context = openObject(
  'What takes the model’s window, estimated.',
  {
    side: { enum: ['client', 'upstream'] },
    total: described(integer, 'Tokens.'),
    method: described(text, 'How they were counted.'),
    parts: list(
      openObject(
        'One part.',
        {
          path,
          kind: { enum: ['tool', 'message', 'item', 'instructions', 'overhead'] },
          label: text,
          tokens: integer,
        },
        ['path', 'kind', 'label', 'tokens'],
      ),
    ),
    body: described(
      anyObject,
      'What was counted, where it is not the one in `request`: with several rounds, the last.',
    ),
    window: described(integer, 'Of the model, in tokens, where it is known.'),
  },
  ['side', 'total', 'method', 'parts'],
)

const timeline = openObject(
  'What happened when: steps that add up to the whole, in milliseconds since the start.',
  {
    end: number,
    first_event: described(number, 'When the first event of the upstream was complete.'),
    steps: list(
      openObject(
        'One step.',
        {
          who: { enum: ['gateway', 'upstream', 'tool'] },
          what: {
            enum: [
              'guard',
              'conversion',
              'connect',
              'wait',
              'answer',
              'pause',
              'tool',
              'events',
              'other',
              'end',
            ],
          },
          from: number,
          to: number,
          took: described(number, 'Without what the gateway did meanwhile.'),
          name: described(text, 'The upstream, or the tool.'),
          round: integer,
          attempt: described(integer, 'From 1, within its round.'),
          failure: described(text, 'A status or a code.'),
        },
        ['who', 'what', 'from', 'to', 'took'],
      ),
    ),
    sums: openObject(
      'Whose time it was; tools that ran at the same time count once.',
      { gateway: number, upstream: number, tool: number, pauses: number },
      ['gateway', 'upstream', 'tool', 'pauses'],
    ),
  },
  ['end', 'steps', 'sums'],
)

const explanations = described(
  mapOf(
    openObject('In the words of `toolwire explain`.', { title: text, explanation: text, remedy: text }, [
      'title',
      'explanation',
      'remedy',
    ]),
  ),
  'Of every code among the losses and notes.',
)

const reading = openObject(
  'A trace as people read it.',
  {
    conversation: openObject(
      'What was said.',
      {
        tools: described(list(text), 'The names of the tools that the model was offered.'),
        before: described(allSaid, 'What the request continues without repeating it.'),
        missing: described(text, 'The answer that it continues, where nothing is left from until then.'),
        history: allSaid,
        answer: allSaid,
        unread: described(list(text), 'The sides that could not be read.'),
        cut: described(text, 'The request that the history was read from, if only its beginning was kept.'),
        cutAnswer: described(text, 'The same of the answer.'),
      },
      ['tools', 'history', 'answer', 'unread'],
    ),
    request: schemaRef('TraceSides'),
    answer: schemaRef('TraceSides'),
    context: schemaRef('ContextReading'),
    timeline: schemaRef('Timeline'),
    explanations,
  },
  ['conversation', 'request', 'answer', 'explanations'],
)

const status = openObject(
  'The gateway as it runs.',
  {
    version: text,
    node: text,
    now: described(integer, 'Milliseconds since 1970.'),
    readiness: openObject('As GET /ready.', { status: text, store: text, reason: text }, ['status']),
    memory: openObject('Of everything in flight, in bytes.', { used: integer, limit: number }, [
      'used',
      'limit',
    ]),
    background: described(integer, 'Background responses that run.'),
    may_send: described(
      { type: 'boolean' },
      'Whether whoever asks may send requests to models; operators may not.',
    ),
    wires: list(openObject('A wire.', { name: text, title: text, path: text }, ['name', 'title', 'path'])),
    upstreams: list(
      openObject(
        'An upstream.',
        { name: text, wire: text, speaks: list(text), base_url: text, models: list(text), disabled: text },
        ['name', 'wire', 'speaks', 'base_url', 'models'],
      ),
    ),
    tools: list(
      openObject(
        'A tool that the gateway runs.',
        { name: text, description: text, parameters: anything, server: described(text, 'Of MCP.') },
        ['name'],
      ),
    ),
    about: described(anyObject, 'The configuration in force and the MCP servers, for operators.'),
  },
  ['version', 'readiness', 'memory', 'background', 'wires', 'upstreams', 'tools'],
)

const onEveryWire = openObject(
  'What stands on each wire, and what is lost there.',
  {
    from: text,
    kind: { enum: ['request', 'answer'] },
    views: list(
      openObject(
        'On one wire.',
        { wire: text, title: text, value: anything, diagnostics: list(schemaRef('TraceDiagnostic')) },
        ['wire', 'title', 'value', 'diagnostics'],
      ),
    ),
    explanations,
  },
  ['from', 'kind', 'views', 'explanations'],
)

export const traceSchemas: Node = {
  TraceList: openObject(
    'Exchanges of the recent past, the newest first.',
    { object: { const: 'list' }, data: list(schemaRef('TraceSummary')) },
    ['object', 'data'],
  ),
  TraceSummary: summary,
  TraceDiagnostic: diagnostic,
  TraceView: view,
  Trace: trace,
  TraceDocument: openObject('A trace, as it was exported.', { trace: schemaRef('Trace') }, ['trace']),
  Said: said,
  TraceSides: sides,
  ContextReading: context,
  Timeline: timeline,
  Reading: reading,
  ReadTrace: openObject(
    'A trace, and how people read it.',
    { trace: schemaRef('Trace'), reading: schemaRef('Reading') },
    ['trace', 'reading'],
  ),
  OnEveryWire: onEveryWire,
  Status: status,
}
