/**
 * Everything that a test may cite. `S002.7` is requirement 7 of seed document 002; `C8` is a decision where seeds
 * disagree; `D3` is a demand that no seed states; `field B13` is a failure of other software. Each is shown by a test
 * whose title cites it in brackets.
 */
import { fieldFailures } from './field-failures.ts'

export interface Requirement {
  readonly id: string
  readonly behaviour: string
}

const now = (id: string, behaviour: string): Requirement => ({ id, behaviour })

const seed000: readonly Requirement[] = [
  now('S000.1', 'internal tool definitions become what Responses needs'),
  now('S000.2', 'Chat nests, Responses is flat'),
  now('S000.3', 'definitions are made by one part and transformed by another'),
  now('S000.4', 'the nested definition is accepted as input'),
  now('S000.5', 'the flat definition comes out'),
  now('S000.6', 'the worked example browser_dom'),
  now('S000.7', 'TR-1: every field of the function object is lifted'),
  now('S000.8', 'TR-2: the type stays "function"'),
  now('S000.9', 'TR-3: parameters are copied without modification'),
  now('S000.10', 'TR-4: strict only when stated, on request'),
  now('S000.11', 'TR-5: required fields are demanded'),
  now('S000.12', 'TR-5: the exact error texts'),
  now('S000.13', 'createToolsJsonForResponsesApi is pure'),
  now('S000.14', 'no list gives no tools'),
  now('S000.15', 'a tool that is no object is dropped and reported'),
  now('S000.16', 'a function without name or description is dropped and reported'),
  now('S000.17', 'strict and parameters have defaults'),
  now('S000.18', 'known other types pass untouched'),
  now('S000.19', 'nothing empty stays in the list'),
  now('S000.20', 'Test 1: basic transformation'),
  now('S000.21', 'Test 2: strict is preserved'),
  now('S000.22', 'Test 3: invalid tools are filtered'),
  now('S000.23', 'Test 4: a complex schema is preserved'),
  now('S000.24', 'INV-1: no nested function in the output'),
  now('S000.25', 'INV-2: required fields are in the output'),
  now('S000.26', 'INV-3: never more tools than were given'),
  now('S000.27', 'Error 1: an invalid type is reported and filtered'),
  now('S000.28', 'Error 2: missing fields are reported and filtered'),
  now('S000.29', 'Error 3: null and undefined are filtered'),
  now('S000.30', 'every rule is verified against the API'),
]

const seed001: readonly Requirement[] = [
  now('S001.1', 'the union of function, local_shell, web_search and custom is read'),
  now('S001.2', 'only functions come out'),
  now('S001.3', 'the conversion covers every type'),
  now('S001.4', 'convertToolsToOpenAIFormat'),
  now('S001.5', 'a function keeps its shape; strict false is not carried'),
  now('S001.6', 'local_shell becomes a function with a command'),
  now('S001.7', 'web_search becomes a function with a query'),
  now('S001.8', 'custom becomes a function of the same name'),
  now('S001.9', 'convertJsonSchemaToOpenAI'),
  now('S001.10', 'convertToOpenAIRequest converts tools, and leaves absent ones absent'),
  now('S001.11', 'Example 1'),
  now('S001.12', 'Example 2, byte for byte'),
  now('S001.13', 'Example 3 keeps the order'),
  now('S001.14', 'the list of tests'),
  now('S001.15', 'internal types are converted only at the boundary'),
  now('S001.16', 'unknown types are filtered with a report'),
  now('S001.17', 'null and undefined are skipped'),
  now('S001.18', 'invalid schemas are preserved'),
  now('S001.19', 'validation, more types and schema minification'),
]

const seed002: readonly Requirement[] = [
  now('S002.1', 'calls are items of their own, may be parallel, and map to their results'),
  now('S002.2', 'the flow of a turn with calls'),
  now('S002.3', 'definitions for Responses, without the misplaced strict'),
  now('S002.4', 'a function_call item becomes an assistant message with tool_calls'),
  now('S002.5', 'tool results reach the model'),
  now('S002.6', 'calls are tracked by call id'),
  now('S002.7', 'transformTools'),
  now('S002.8', 'processFunctionCalls'),
  now('S002.9', 'transformToolResults'),
  now('S002.10', 'handleParallelTools'),
  now('S002.11', 'calculateToolTokens'),
  now('S002.12', 'sequential calls'),
  now('S002.13', 'parallel calls'),
  now('S002.14', 'text and calls in one turn'),
  now('S002.15', 'a failed call becomes a result'),
  now('S002.16', 'calculateOptimalTokens'),
  now('S002.17', 'single, parallel and round-trip tests'),
  now('S002.18', 'streaming calls and timeouts'),
  now('S002.19', 'every error case is handled'),
]

const seed003: readonly Requirement[] = [
  now('S003.1', 'tool schemas map to Responses tools'),
  now('S003.2', 'client-run and provider-run calls are told apart'),
  now('S003.3', 'toolSchemasForResponses beside the Chat generator'),
  now('S003.4', 'Read comes out flat'),
  now('S003.5', 'parameters equal those of the Chat generator'),
  now('S003.6', 'name, description and parameters are lifted'),
  now('S003.7', 'strict may be asked for and is false by default'),
  now('S003.8', 'the test comes with the implementation'),
  now('S003.9', 'tests call the generator that the product uses'),
]

const seed004: readonly Requirement[] = [
  ['S004.1', 'the schema comes from the output, not the input'],
  ['S004.2', 'calls conform to the output schema; sanitizers keep its structure'],
  ['S004.3', 'StepConfig has an outputSchema'],
  ['S004.4', 'the output schema is what the tool is built from'],
  ['S004.5', 'the source of the schema is the expected output'],
  ['S004.6', 'a generic fallback, when asked for'],
  ['S004.7', 'the schema lives with the step'],
  ['S004.8', 'the palette example'],
  ['S004.9', 'the stated benefits hold'],
  ['S004.10', 'the stated costs are met'],
  ['S004.11', 'the rejected alternatives stay rejected, or a decision says why not'],
  ['S004.12', 'strict-compatible schemas and discoverable configuration'],
  ['S004.13', 'a sanitizer changes values and keeps keys'],
].map(([id = '', behaviour = '']) => now(id, behaviour))

const decisions: readonly Requirement[] = [
  now('C1', 'strict left out on Chat is false on Responses'),
  now('C2', 'a misplaced strict is reported and removed'),
  now('C3', 'schemas change only through strictify'),
  now('C4', 'a description is demanded by the seed function only'),
  now('C5', 'invalid tools are dropped or thrown, with one core behind both'),
  now('C6', 'diagnostics are data; nothing is logged'),
  now('C7', 'known types pass, unknown ones follow a policy'),
  now('C8', 'custom tools are wrapped where needed and come back'),
  now('C9', 'local_shell keeps its emulation and is reversible'),
  now('C10', 'hosted tools follow a policy'),
  now('C11', 'results are function_call_output'),
  now('C12', 'calls are replayed before their outputs'),
  now('C13', 'the finish reason follows from the calls'),
  now('C14', 'calls are keyed by item and index'),
  now('C15', 'failures live in the output item'),
  now('C16', "the caller's cap is respected"),
  now('C17', "parallel_tool_calls and tool_choice are the caller's"),
  now('C18', 'parameters, output schema and step schema are three things'),
  now('C19', 'the fallback schema is strict-compatible'),
  now('C20', 'the schema is on the step definition'),
  now('C21', 'output is validated again after sanitising'),
  now('C22', 'schemas pass untouched; dialects are named passes'),
  now('C23', 'empty parameters become an empty object schema'),
  now('C24', 'pairing is by call_id'),
  now('C25', 'hosted items are in the model'),
  now('C26', 'strict is false where aliases are optional'),
  now('C27', 'no beta header'),
  now('C28', 'bad arguments become a result, never other arguments'),
]

const demands: readonly Requirement[] = [
  now('D1', 'namespaces are flattened and restored'),
  now('D2', 'additional_tools are read'),
  now('D3', 'tool_search results become callable'),
  now('D4', 'names are mangled deterministically, uniquely and reversibly'),
  now('D5', 'a Responses front for Chat upstreams'),
  now('D6', 'no tool is lost silently'),
]

const failures = Object.entries(fieldFailures).map(([code, failure]) => now(`field ${code}`, failure))

export const requirements: readonly Requirement[] = [
  ...seed000,
  ...seed001,
  ...seed002,
  ...seed003,
  ...seed004,
  ...decisions,
  ...demands,
  ...failures,
]

/** What no test shows yet, and why. */
export const pending: { readonly [id: string]: string } = {}
