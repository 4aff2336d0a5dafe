/**
 * @toolwire/core/testing: a scripted model, a test clock, samples of JSON Schemas, and laws for your own tools, for any
 * test runner.
 */
export { ConnectionError } from './body-stream.ts'
export type { Law } from './laws/law.ts'
export { LawError } from './laws/law.ts'
export type { ToolLawOptions } from './laws/tool-laws.ts'
export { assertToolLaws, toolLaws } from './laws/tool-laws.ts'
export type { ByteCut, Pieces } from './pieces.ts'
export type { SampleOptions, SampleResult } from './sample/sample.ts'
export { SampleError, sampleFromSchema, trySample } from './sample/sample.ts'
export type { Script, ScriptFunction } from './script.ts'
export { ScriptError } from './script.ts'
export type { ScriptedModel, ScriptedModelOptions, SendOptions } from './scripted-model.ts'
export { createScriptedModel, ScriptedRefusal } from './scripted-model.ts'
export type { Fault, ScriptedCall, ScriptedError, ScriptedTurn } from './scripted-turn.ts'
export { calls, fails, says } from './scripted-turn.ts'
export type { SeenCall, SeenRequest, SeenResult, SeenTool } from './seen-request.ts'
export type { TestHost } from './test-host.ts'
export { createTestHost } from './test-host.ts'
