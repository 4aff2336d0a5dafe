/** What the diagnostics about reading and converting tools mean. */
import type { ToolCode } from '../model/diagnostic-codes.ts'
import type { Explanation } from './explanation.ts'

export const toolExplanations: { readonly [Code in ToolCode]: Explanation } = {
  invalid_request: {
    title: 'The request body is not an object',
    explanation:
      'A request on any of the three wires is one JSON object. Something else was given, so nothing could be read.',
    remedy: 'Pass the parsed body of the request.',
  },
  not_a_list: {
    title: 'Tools, messages or items that are not a list',
    explanation:
      'Tools, messages and items are given as a JSON array. Another value stood there and was not read.',
    remedy: 'Wrap a single one in brackets, or pass the value of the field that holds the list.',
  },
  invalid_tool: {
    title: 'A tool that is not an object',
    explanation:
      'Each entry of the list must be an object. Text, numbers, lists and null cannot declare a tool.',
    remedy: 'Remove the entry, or replace it by a tool definition.',
  },
  missing_name: {
    title: 'A tool without a name',
    explanation:
      'The model calls tools by name, so a function, custom tool or namespace without one can never be called. A common cause is reading the name from the wrong level of a nested definition.',
    remedy:
      'Give the tool a non-empty name: inside "function" on Chat, beside "type" on Responses and Messages.',
  },
  missing_description: {
    title: 'A tool without a description, which is required here',
    explanation:
      'The wires allow tools without a description. This function requires one, by default or because of `requireDescription`.',
    remedy: 'Add a description, or set `requireDescription: false`.',
  },
  unknown_type: {
    title: 'A tool type this wire does not define',
    explanation:
      'The type is not one of those known for the wire the tools were read as. On its own wire the tool is passed on untouched, since it may be newer than this library.',
    remedy:
      'Check the spelling and the source wire. To send the tool elsewhere all the same, set `unknownTools: "pass"`.',
  },
  mixed_shape: {
    title: "A tool written in another wire's shape",
    explanation:
      'Chat nests the fields of a tool, Responses keeps them flat, Messages calls the schema "input_schema". Clients mix these up; the tool was understood and is written correctly, but a server would have refused it.',
    remedy: 'Write the tool in the shape of its wire; `toolwire lint --fix` does it.',
  },
  misplaced_strict: {
    title: 'A "strict" where no server looks for it',
    explanation:
      'Chat reads "strict" inside the function object, Responses and Messages beside the name. Beside Chat\'s function object or inside the schema it has no effect. It was taken out and not applied, because applying it would change which arguments the model may write.',
    remedy: 'Move it to its place, or convert with `misplacedStrict: "honour"`.',
  },
  losses_omitted: {
    title: 'More losses than are listed',
    explanation:
      'The list of diagnostics ends after 10,000 entries. Of the codes it already has, more warnings and errors were only counted; every other code is still listed once.',
    remedy:
      'Look at the codes above: what repeats this often is mostly one mistake in how the request is made.',
  },
  legacy_functions: {
    title: 'Deprecated "functions" and "function_call"',
    explanation:
      'Chat replaced these fields by "tools" and "tool_choice". They were read as tools, and written back as they were on Chat.',
    remedy: 'Use "tools" and "tool_choice" in new code.',
  },
  tool_withdrawn: {
    title: 'A tool that the conversation has withdrawn',
    explanation:
      'The source wire can withdraw a tool in the middle of a conversation. The target has one list of tools, so the tool was left out of it.',
    remedy: 'Nothing to do; offer the tool again in the conversation if the model should have it.',
  },
  additional_tools_merged: {
    title: 'Tools declared in the middle of the input',
    explanation:
      'Responses lets a client declare tools as an item of the input. The target wire has only one list of tools, so they were moved there.',
    remedy: 'Nothing to do.',
  },
  field_dropped: {
    title: 'A field that the target wire cannot express',
    explanation:
      'The field means something on the source wire and has no counterpart on the target. It was left out, and the target behaves as if it had never been set.',
    remedy:
      'If the behaviour matters, send the request to a server that speaks the source wire, or drop the field at its source.',
  },
  hint_dropped: {
    title: 'A hint, or an id of the source wire, was left out',
    explanation:
      'The field steers how the server caches or streams, asks for more to be told about the answer or in what style, labels the request, or names an item within its own wire. Without it the meaning is the same; a request may cost more, arrive in larger pieces, or be answered at another length.',
    remedy: 'Nothing to do.',
  },
  tool_dropped: {
    title: 'A tool that could not be read was left out',
    explanation:
      'The tool is of an unknown type or malformed, so it cannot be expressed on another wire. An earlier diagnostic says what is wrong with it.',
    remedy: 'Correct the tool. For a type newer than this library, set `unknownTools: "pass"`.',
  },
  unknown_tool_passed: {
    title: 'A tool that could not be read was passed on',
    explanation:
      'By the policy `unknownTools: "pass"` the definition goes to the target exactly as it came. The target may refuse it.',
    remedy: 'Use another policy if the target refuses the request.',
  },
  unknown_tool_refused: {
    title: 'A tool that could not be read was refused',
    explanation:
      'By the policy `unknownTools: "error"` such a tool makes the conversion fail rather than go out incomplete.',
    remedy: 'Correct or remove the tool, or choose "drop" or "pass".',
  },
  hosted_tool_dropped: {
    title: 'A hosted tool was left out',
    explanation:
      'The provider of the source wire would run this tool itself. The target has no such tool and no handler is configured for it, so the model does not get it.',
    remedy:
      'Name a handler with `hostedTools: { <type>: { policy: "handler", … } }`, or emulate it as a function. If it is not missed, say so with `hostedTools: { <type>: "drop" }`.',
  },
  hosted_tool_omitted: {
    title: 'A hosted tool was left out by policy',
    explanation: 'By the policy `hostedTools: "drop"` the model does not get this tool.',
    remedy: 'Nothing to do; choose another policy in `hostedTools` to change it.',
  },
  own_search_dropped: {
    title: 'A search that only its own provider can make was left out',
    explanation:
      'A search for tools, or a web search that may read nothing but the cache of its provider, means nothing elsewhere. The model sees all tools at once, and what is on the web not at all.',
    remedy: 'Nothing to do.',
  },
  hosted_tool_emulated: {
    title: 'A hosted tool became a function',
    explanation:
      'The tool is shown to the model as an ordinary function of the same purpose. Calls to it come back as calls to the hosted tool.',
    remedy: 'Nothing to do; choose another policy in `hostedTools` to change it.',
  },
  hosted_tool_handled: {
    title: 'A hosted tool became a function for your handler',
    explanation:
      'By the policy "handler" the model sees a function, and its calls are marked for your code to run instead of the client.',
    remedy: 'Nothing to do.',
  },
  hosted_tool_mapped: {
    title: "A hosted tool became the target wire's own",
    explanation:
      'Both wires have a tool of this kind. Settings that only the source knows are reported one by one.',
    remedy: 'Nothing to do.',
  },
  hosted_tool_passed: {
    title: 'A hosted tool was passed on as it is',
    explanation:
      'By the policy "pass" the definition goes to a wire that does not define it. Some servers accept it all the same; most refuse the request.',
    remedy: 'Use another policy if the target refuses the request.',
  },
  hosted_tool_refused: {
    title: 'A hosted tool was refused',
    explanation:
      'By the policy "error" a hosted tool the target lacks makes the conversion fail rather than go out without it.',
    remedy: 'Remove the tool, or choose "emulate", "handler", "drop" or "pass".',
  },
  custom_tool_wrapped: {
    title: 'A free-text tool became a function with one string',
    explanation:
      'The target knows only functions. The model writes the text into "input", with the grammar, if any, shown in the description; the call comes back as a call to the free-text tool. The grammar is no longer enforced by the server.',
    remedy: 'For an upstream that takes custom tools, set `profile: { customTools: true }`.',
  },
  namespace_flattened: {
    title: 'A namespace was folded into the names of its tools',
    explanation:
      'The target has no namespaces. Each tool carries the namespace in its name, and calls come back with name and namespace apart.',
    remedy: 'Nothing to do.',
  },
  tool_renamed: {
    title: 'A tool goes by another name on the target',
    explanation:
      'The name has characters or a length the target refuses, or another tool has it. The new name is always the same for the same tool, and calls come back under the old one.',
    remedy: 'Nothing to do; shorter names of letters, digits, "_" and "-" avoid it.',
  },
  tool_shown: {
    title: 'A tool that was to be searched for is shown at once',
    explanation:
      'The tool says `defer_loading`, but no tool search is left on the target. The model would never see the tool, and OpenAI refuses such a list.',
    remedy: 'Nothing to do; declare fewer tools if they take too much of the window.',
  },
  duplicate_tool_name: {
    title: 'Two tools share a name',
    explanation: 'A call by that name cannot tell them apart, and most servers refuse the request.',
    remedy: 'Rename one of them, or remove the repetition.',
  },
  server_tool_omitted: {
    title: 'A server tool was left out, because the client has a tool of its name',
    explanation: 'The calls of that name go to the client, as it expects.',
    remedy: 'Rename the server tool if both are wanted.',
  },
  parameters_defaulted: {
    title: 'A tool without parameters was given an empty schema',
    explanation:
      'The target wants every function to carry a schema whose root is an object. An absent, null or empty schema became one without properties.',
    remedy: 'Nothing to do.',
  },
  parameters_root_typed: {
    title: 'The root of the schema was given the type "object"',
    explanation:
      'The target demands `type: "object"` at the root of the parameters, and the schema had no type there, or several.',
    remedy: 'Write `type: "object"` at the root yourself to silence this.',
  },
  parameters_properties_added: {
    title: 'The root of the schema was given an empty list of properties',
    explanation:
      'The target refuses an object schema without `properties`, even where a tool takes no arguments. An empty list means the same.',
    remedy: 'Write `properties: {}` at the root yourself to silence this.',
  },
  parameters_wrapped: {
    title: 'The arguments became a property of an object',
    explanation:
      'The target takes only an object at the root of the parameters, and refuses unions and other combinations there. The schema became the property "input" of an object. Arguments of calls are taken out of it again, and those in the history are put into it.',
    remedy: 'Describe the arguments as an object with properties if the model should see them so.',
  },
  duplicate_tool_removed: {
    title: 'A tool that was declared twice is sent once',
    explanation:
      'Servers refuse two tools of one name. Equal ones are sent once; one that the conversation declares later replaces the earlier one.',
    remedy: 'Declare each tool once to silence this.',
  },
  parameters_not_object: {
    title: 'Parameters whose root is not an object',
    explanation:
      'Arguments are a JSON object on every wire, so a schema for anything else can never be met. It was passed on unchanged and the server will refuse it.',
    remedy: 'Wrap the schema in an object with one property.',
  },
  strict_auto_resolved: {
    title: '"strict" was left to the server, and had to be decided',
    explanation:
      'If "strict" is absent, a Responses server tries strict mode and falls back if the schema does not allow it. Other wires have no such mode: the tool is strict there only if its schema already obeys the rules.',
    remedy: 'State `strict: true` or `strict: false` on the tool.',
  },
  strict_dropped: {
    title: 'A strict tool is not strict on the target',
    explanation:
      'Providers differ in what strict mode allows: OpenAI wants every property to be required, Anthropic does not, and their keywords differ. This schema obeys the rules of the source and not those of the target, which would refuse the whole request.',
    remedy: 'Convert with `strict: "strictify"`, or write a schema that obeys both.',
  },
  additional_tools_unchanged: {
    title: 'Tools inside the input were left as they are',
    explanation:
      'On Responses, tools may be declared in the middle of the input, and there they stay. Options that change tools, such as a policy for hosted tools or a rewrite of schemas, did not reach them.',
    remedy: 'Declare the tools in the list of tools, or convert to another wire, where they are moved there.',
  },
  invalid_tool_choice: {
    title: 'A tool choice the wire does not define',
    explanation:
      'The value is none of the choices of the wire it was read as, or names no tool. It is not treated as "auto".',
    remedy: 'Use one of the wire\'s own forms: "auto", "none", "required", one tool by name, or a subset.',
  },
  tool_choice_dropped: {
    title: 'The tool choice could not be kept',
    explanation:
      'The chosen tool does not exist on the target wire, or the choice could not be read. The model chooses among the tools that are left.',
    remedy: 'Choose a tool that the target has, or give the hosted tool a handler.',
  },
  tool_choice_impossible: {
    title: 'The tool that the model must call is not on the target',
    explanation:
      'The choice forces a call, and no tool that it allows could be carried over. A plain answer in place of the call would be taken for its result.',
    remedy: 'Choose a tool that exists on the target, or let the model choose.',
  },
  tool_choice_refused: {
    title: 'The model cannot be forced to call a tool',
    explanation:
      'Some models refuse a request that forces a call, as `presets` of the library lists them. Asking them to choose freely is another request: whoever forces a call counts on it.',
    remedy:
      'Let the model choose, ask for JSON with an output format, or use another model. If the model has learnt it, say so with `profile: { models: { "name": { forcedChoice: true } } }`.',
  },
  tool_choice_without_tools: {
    title: 'A tool choice without tools',
    explanation:
      'Servers may refuse a choice when no tools are declared, and it means nothing then. It was left out.',
    remedy: 'Nothing to do.',
  },
  allowed_tools_applied: {
    title: 'The subset of allowed tools became the list of tools',
    explanation:
      'The target cannot name a subset in its tool choice, so it is shown only the allowed tools. The effect on the model is the same; prompt caches may be missed.',
    remedy: 'Nothing to do.',
  },
  tool_not_allowed: {
    title: 'A tool outside the allowed subset',
    explanation:
      'The tool choice allows only some of the tools and the target cannot say so; this one was not shown to the model.',
    remedy: 'Nothing to do.',
  },
  parallel_tool_calls_dropped: {
    title: 'The setting for parallel calls was left out',
    explanation:
      'On Messages the setting is part of the tool choice, and there is none that could carry it. Without tools, or with tools switched off, it has no effect.',
    remedy: 'Nothing to do.',
  },
}
