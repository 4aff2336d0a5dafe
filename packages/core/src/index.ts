/** @toolwire/core: tool definitions and calls between Chat Completions, Responses and Messages. */
export { detectWire } from './codecs/detect-wire.ts'
export type { Profile } from './codecs/profile.ts'
export type { CallUndo, CustomCall, FunctionCall, HostedCall } from './convert/call-undo.ts'
export type {
  Converted,
  ConvertToolsOptions,
  DefinedTool,
  EncodeToolsOptions,
} from './convert/convert-tools.ts'
export { convertToolParams, convertTools, encodeTools } from './convert/convert-tools.ts'
export type { Exchange, ExchangeOptions } from './convert/exchange.ts'
export type { ExchangeStream, StreamLimits } from './convert/exchange-stream.ts'
export type { HostedFunction, HostedPolicy, ToolOptions } from './convert/options.ts'
export { createExchange } from './create-exchange.ts'
export type { Diagnostic, Path, Severity } from './model/diagnostic.ts'
export type { DiagnosticCode } from './model/diagnostic-codes.ts'
export type { Wire } from './model/wire.ts'
export { defineTool } from './runtime/define-tool.ts'
export type { FromSchema } from './runtime/from-schema.ts'
export type { JsonSchema } from './runtime/json-schema.ts'
export type { RegisterOptions } from './runtime/registry.ts'
export { ToolRegistry } from './runtime/registry.ts'
export type { StandardIssue, StandardResult, StandardSchema } from './runtime/standard-schema.ts'
export type { ToolErrorCode } from './runtime/tool-error.ts'
export { ToolError } from './runtime/tool-error.ts'
export type { ExecutionFacts, ToolAnnotations, ToolSpec } from './runtime/tool-spec.ts'
