/** @toolwire/core/openai: tools for OpenAI's two wires, built on the conversions of this library. */

export { ToolManager } from '../openai-tool-manager.ts'
export type { JsonSchema } from '../runtime/tools/json-schema.ts'
export { FailedResponseError, InvalidToolError } from './errors.ts'
export type { OpenAIRequest } from './request.ts'
export { convertToOpenAIRequest } from './request.ts'
export type { SchemaDialectOptions } from './schema-dialect.ts'
export { convertJsonSchemaToOpenAI } from './schema-dialect.ts'
export type { ToolConversation } from './tool-conversation.ts'
export { convertToolsToOpenAIFormat, createToolsJsonForResponsesApi } from './tool-formats.ts'
export type { ManagerPlatform } from './tool-manager.ts'
export type {
  AssistantMessage,
  ChatCustomCall,
  ChatFunctionCall,
  FailedToolCall,
  FunctionCallOutput,
  ResultForm,
  ResultItem,
  RunOptions,
  ToolCallResult,
  ToolManagerOptions,
  ToolMessage,
  ToolResultMessage,
} from './tool-manager-types.ts'
export type { RegisteredResponsesTool, ToolSchemaOptions, ToolSchemas } from './tool-schemas.ts'
export { createToolSchemas, toolSchemasForOpenAI, toolSchemasForResponses } from './tool-schemas.ts'
export type { ToolCallInfo } from './tracked-calls.ts'
export type {
  CustomToolFormat,
  DiagnosticOptions,
  OpenAITool,
  RegistryToolDefinition,
  ResponsesApiTool,
  ResponsesTool,
  ToolDefinition,
  ToolFormatOptions,
} from './types.ts'
