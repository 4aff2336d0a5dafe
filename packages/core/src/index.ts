/** @toolwire/core: tool definitions and calls between Chat Completions, Responses and Messages. */
export { detectWire } from './codecs/detect-wire.ts'
export type { Profile } from './codecs/profile.ts'
export { connectModel } from './connect-model.ts'
export type { CallUndo, CustomCall, FunctionCall, HostedCall } from './convert/call-undo.ts'
export type {
  Converted,
  ConvertToolsOptions,
  DefinedTool,
  EncodeToolsOptions,
} from './convert/convert-tools.ts'
export { convertToolParams, convertTools, encodeTools } from './convert/convert-tools.ts'
export type { ConvertedAnswer, Exchange, ExchangeOptions, OwnError } from './convert/exchange.ts'
export type { ExchangeStream, StreamLimits } from './convert/exchange-stream.ts'
export type { HeldCall, HeldResult, RegisteredTool } from './convert/held-call.ts'
export type { HiddenTurn } from './convert/hidden-turn.ts'
export type { HostedFunction, HostedPolicy, ToolOptions } from './convert/options.ts'
export type { TokenUsage } from './convert/stream-record.ts'
export { createExchange } from './create-exchange.ts'
export type { Diagnostic, Path, Severity } from './model/diagnostic.ts'
export type { DiagnosticCode } from './model/diagnostic-codes.ts'
export type { Wire } from './model/wire.ts'
export { runConversation } from './run-conversation.ts'
export { runToolCalls } from './run-tool-calls.ts'
export type { ModelErrorDetails, ModelErrorKind } from './runtime/conversation-error.ts'
export { ModelError } from './runtime/conversation-error.ts'
export type { ConversationEvent, PendingCall, StopReason } from './runtime/conversation-types.ts'
export { defineTool } from './runtime/define-tool.ts'
export { FatalToolError } from './runtime/fatal-tool-error.ts'
export type { FromSchema } from './runtime/from-schema.ts'
export type { Abort, Host, Signal, SignalLike } from './runtime/host.ts'
export type { JsonSchema } from './runtime/json-schema.ts'
export type { AskOptions, ModelPort, Reply } from './runtime/model-port.ts'
export type { CallOutcome, CallStatus, ContentPart, OutcomeCode, ToolCall } from './runtime/outcome.ts'
export type { ParsedArguments, ParseOptions } from './runtime/parse-arguments.ts'
export { parseArguments } from './runtime/parse-arguments.ts'
export type { RegisterOptions } from './runtime/registry.ts'
export { ToolRegistry } from './runtime/registry.ts'
export type {
  Approval,
  ApprovalRequest,
  CallEvent,
  RestoredCall,
  RestoresCalls,
  RetryOptions,
  RunCallsOptions,
} from './runtime/run-options.ts'
export type { StandardIssue, StandardResult, StandardSchema } from './runtime/standard-schema.ts'
export type { ToolContext } from './runtime/tool-context.ts'
export type { ToolErrorCode } from './runtime/tool-error.ts'
export { ToolError } from './runtime/tool-error.ts'
export type { ResultData, ResultPart, ToolResult, ToolResultInit } from './runtime/tool-result.ts'
export { toolResult } from './runtime/tool-result.ts'
export type { ExecutionFacts, ToolAnnotations, ToolSpec } from './runtime/tool-spec.ts'
export type { ConnectModelOptions } from './talk/connect.ts'
export type {
  ConversationResult,
  ResumeOptions,
  RunConversationOptions,
  StartOptions,
} from './talk/converse.ts'
export type { GivenResult } from './talk/resume.ts'
export type { Send, SendContext, Sender } from './talk/send.ts'
export type { ConversationState } from './talk/state.ts'
