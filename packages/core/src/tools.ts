/** @toolwire/core/tools: conversion of tools between wires that are passed as definitions; see `exchange.ts`. */
export type { Converted, ConvertToolsOptions, EncodeToolsOptions } from './convert/convert-tools.ts'
export { convertToolParams, convertTools, encodeTools } from './convert/convert-tools.ts'
export type { DefinedTool } from './convert/shared/tools.ts'
export { chatTools as chat } from './wires/chat/tools/index.ts'
export type { WireTools } from './wires/define-wire.ts'
export { messagesTools as messages } from './wires/messages/tools/index.ts'
export { responsesTools as responses } from './wires/responses/tools/index.ts'
