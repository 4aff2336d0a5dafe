/** @toolwire/core: tool definitions and calls between Chat Completions, Responses and Messages. */

export type { PendingCallResult } from './client/resume.ts'
export type { ConversationResult } from './client/run-conversation.ts'
export type { Send, SendContext, Sender } from './client/send.ts'
export type { ConversationState } from './client/state.ts'
export type { ConnectModelOptions } from './connect-model.ts'
export { connectModel } from './connect-model.ts'
export type { MadeCompaction, SummaryOutcome } from './convert/compaction/compacted-answers.ts'
export type { ConvertedAnswer } from './convert/convert-answer.ts'
export type { Converted } from './convert/convert-tools.ts'
export type { Exchange } from './convert/exchange.ts'
export type { EncodedError, LocalError } from './convert/local-answer.ts'
export type { Seal } from './convert/shared/envelope.ts'
export { envelopeMark } from './convert/shared/envelope.ts'
export type { FindKeptReasoning, KeptReasoning, SentCall } from './convert/shared/kept-reasoning.ts'
export type {
  HostedFunction,
  HostedPolicy,
  MediaPolicies,
  MediaPolicy,
  ToolOptions,
} from './convert/shared/options.ts'
export type {
  ServerCall,
  ServerCallRecord,
  ServerCallResult,
  ServerTool,
} from './convert/shared/server-calls.ts'
export type { DefinedTool } from './convert/shared/tools.ts'
export type { ExchangeStream, StreamLimits } from './convert/stream/exchange-stream.ts'
export type { TokenUsage } from './convert/stream/stream-record.ts'
export type { CallUndo, CustomCall, FunctionCall, HostedCall } from './convert/undo/call-undo.ts'
export type { ConvertToolsOptions, EncodeToolsOptions } from './convert-tools.ts'
export { convertToolParams, convertTools, encodeTools } from './convert-tools.ts'
export type { ExchangeOptions } from './create-exchange.ts'
export { createExchange } from './create-exchange.ts'
export type { DetectOptions } from './detect-wire.ts'
export { detectWire } from './detect-wire.ts'
export { checkProfile, emptyAnswer, encodeError, profileFor } from './local-answer.ts'
export type { CompactionDemand, NativeCompaction } from './model/compaction.ts'
export type { Diagnostic, Path, Severity } from './model/diagnostic.ts'
export type { DiagnosticCode } from './model/diagnostic-codes.ts'
export type { ResumeOptions, RunConversationOptions, StartOptions } from './run-conversation.ts'
export { runConversation } from './run-conversation.ts'
export { runToolCalls } from './run-tool-calls.ts'
export type { CallOutcome, CallStatus, ContentPart, OutcomeCode, ToolCall } from './runtime/calls/outcome.ts'
export type { ParsedArguments, ParseOptions } from './runtime/calls/parse-arguments.ts'
export { parseArguments } from './runtime/calls/parse-arguments.ts'
export type {
  Approval,
  ApprovalRequest,
  CallEvent,
  CallRestorer,
  RestoredCall,
  RetryOptions,
  RunCallsOptions,
} from './runtime/calls/run-options.ts'
export type { ResultData, ResultPart, ToolResult, ToolResultInit } from './runtime/calls/tool-result.ts'
export { toolResult } from './runtime/calls/tool-result.ts'
export type {
  AskOptions,
  ModelErrorDetails,
  ModelErrorKind,
  ModelPort,
  Reply,
} from './runtime/conversation/model-port.ts'
export { ModelError } from './runtime/conversation/model-port.ts'
export type { ConversationEvent, PendingCall, StopReason } from './runtime/conversation/types.ts'
export type { ToolErrorCode } from './runtime/errors.ts'
export { FatalToolError, ToolError } from './runtime/errors.ts'
export type { Abort, Host, Signal, SignalLike } from './runtime/host.ts'
export { defineTool } from './runtime/tools/define-tool.ts'
export type { FromSchema } from './runtime/tools/from-schema.ts'
export type { JsonSchema } from './runtime/tools/json-schema.ts'
export type { RegisterOptions } from './runtime/tools/registry.ts'
export { ToolRegistry } from './runtime/tools/registry.ts'
export type { StandardIssue, StandardResult, StandardSchema } from './runtime/tools/standard-schema.ts'
export type { ExecutionFacts, ToolAnnotations, ToolContext, ToolSpec } from './runtime/tools/tool-spec.ts'
export type { WireDefinition } from './wires/define-wire.ts'
export { defineWire } from './wires/define-wire.ts'
export type { Profile } from './wires/profile.ts'
export type { BuiltInWire, Wire } from './wires/registry.ts'
export { builtInWires } from './wires/registry.ts'
