/**
 * @toolwire/core/wires: for authors of a wire. The contract of `defineWire`, the neutral model that codecs decode to and
 * encode from, and the functions that codecs share. Helpers for JSON are in `@toolwire/core/json`.
 */

export type { Draft, JsonObject } from '../json/object.ts'
export { show } from '../json/text.ts'
export type {
  Answer,
  ApiError,
  ErrorKind,
  Finish,
  FinishReason,
  Usage,
} from '../model/answer.ts'
export type {
  CallPart,
  Citation,
  FilePart,
  HostedPart,
  ImagePart,
  MediaSource,
  OpaquePart,
  Part,
  ReasoningPart,
  RefusalPart,
  ResultPart,
  Role,
  TextPart,
  Turn,
} from '../model/conversation.ts'
export type { Diagnostic, Path, Report } from '../model/diagnostic.ts'
export { into } from '../model/diagnostic.ts'
export type { Request, Setting, SettingName, Settings } from '../model/request.ts'
export type { Residue, ResidueEntry } from '../model/residue.ts'
export type {
  FinishEvent,
  PartDeltaEvent,
  PartEndEvent,
  PartStartEvent,
  StartEvent,
  StreamEvent,
} from '../model/stream-event.ts'
export { finishEvent, startEvent, textDelta } from '../model/stream-event.ts'
export type {
  CustomTool,
  FunctionTool,
  HostedTool,
  NamespaceTool,
  OpaqueTool,
  Tool,
  ToolChoice,
  ToolParams,
  ToolRef,
} from '../model/tool.ts'
export type { FrameReader, SseFrame, SseParser } from '../sse/sse-parser.ts'
export type { WholeEvents } from '../sse/whole-events.ts'
export type {
  AnswerContext,
  ClientHabits,
  HostedToolFacts,
  Recognisers,
  Score,
  StreamDecoder,
  StreamEncoder,
  StreamFrames,
  TokenFraming,
  ToolFormat,
  ToolLimits,
  WireConversation,
  WireDefinition,
  WireTools,
} from './define-wire.ts'
export { defineWire } from './define-wire.ts'
export type { FieldReader } from './kit/field-reader.ts'
export { createFieldReader } from './kit/field-reader.ts'
export { isMcpList, mcpTools } from './kit/mcp-tools.ts'
export { openaiFraming, openaiLimits } from './kit/openai-facts.ts'
export { reportResidue } from './kit/report-residue.ts'
export { restoreMissingOrReport, restoreOrReport } from './kit/residue.ts'
export { fillPath, matchPath, parsePath, splitPath } from './kit/route-path.ts'
/** Short forms of schemas, for the OpenAPI of a wire. */
export * as schemaParts from './kit/schema-parts.ts'
export { bodyFields } from './kit/service-parts.ts'
export { sseFrames } from './kit/sse-frames.ts'
export type { Profile } from './profile.ts'
export { permissiveProfile } from './profile.ts'
export type {
  ExampleRequest,
  HeldIds,
  HeldKind,
  HeldReference,
  HttpHeaders,
  KeyPlace,
  ListedModel,
  ModelFacts,
  OpenApiSchema,
  PlainAnswer,
  ReceivedRequest,
  RequestFacts,
  RequestHeaders,
  RequestIdPlaces,
  RequestPlaces,
  UseLimit,
  UseLimits,
  WireHttp,
  WireJob,
  WireModels,
  WireOpenApi,
  WireOperation,
  WireRoute,
  WireService,
} from './service.ts'
