/** What the findings of lint mean. */
import type { LintCode } from '../model/diagnostic-codes.ts'
import type { Explanation } from './explanation.ts'

export const lintExplanations: { readonly [Code in LintCode]: Explanation } = {
  too_many_tools: {
    title: 'More tools than one request may declare',
    explanation:
      'OpenAI refuses a request with more than 128 tools, whatever they are. Long lists also cost tokens in every request and make the model choose worse.',
    remedy:
      'Send only the tools that this conversation needs, group them in namespaces, or let the model find them through a tool search.',
  },
  name_characters: {
    title: 'A tool name with characters that providers refuse',
    explanation:
      'Tool names may hold letters, digits, underscores and hyphens; dots, spaces, slashes and other signs make the whole request fail. A conversion renames such tools and restores the name in calls; a request that is sent as it is does not.',
    remedy:
      'Rename the tool, or send it through a conversion that renames it and undoes that on the way back.',
  },
  name_too_long: {
    title: 'A tool name that is too long',
    explanation:
      "Chat Completions and Responses take tool names of up to 64 characters, Messages up to 128. Inside a namespace Responses takes 128, and 64 for the namespace's own name.",
    remedy: "Shorten the name. Generated names often repeat a server's name that a namespace could carry.",
  },
  description_advised: {
    title: 'A tool without a description',
    explanation:
      'Providers accept a tool without a description, but the description is most of what the model knows when it decides whether to call the tool and with what.',
    remedy: 'Say in a sentence or two what the tool does, when to use it and what it returns.',
  },
  description_too_long: {
    title: 'A description that some servers refuse',
    explanation:
      'Chat Completions refused function descriptions of more than 1024 characters for years, and servers that copied it still do. Newer models seem to take more.',
    remedy: 'Shorten the description, or move details to the descriptions of the parameters.',
  },
  missing_field: {
    title: 'A tool lacks a field it cannot do without',
    explanation:
      'Every tool type has fields that the provider demands: an MCP tool needs a label and a way to reach its server, a file search its vector stores, a code interpreter its container, a grammar its definition, a namespace its description.',
    remedy: 'Add the field that the message names.',
  },
  invalid_field: {
    title: 'A field holds a value the provider refuses',
    explanation:
      'The field is known but its value is of the wrong kind, not one of those the wire defines, or stands beside another field that excludes it.',
    remedy: 'Write a value of the kind that the message names, or leave the field out.',
  },
  empty_namespace: {
    title: 'A namespace without tools',
    explanation: 'A namespace groups tools, and a request with an empty one is refused.',
    remedy: 'Give the namespace at least one tool, or remove it.',
  },
  missing_parameters: {
    title: 'A function without a parameters schema',
    explanation:
      'This wire demands a schema for the arguments of every function, also when the function takes none. Chat Completions alone lets it be left out.',
    remedy:
      'Add {"type": "object", "properties": {}} when there are no arguments. `toolwire lint --fix` does that.',
  },
  missing_root_type: {
    title: 'The parameters do not say that they are an object',
    explanation:
      'Arguments are always a JSON object, and providers want the schema\'s root to say so with "type": "object". Without it OpenAI answers that it got \'type: "None"\'.',
    remedy: 'Add "type": "object" at the root of the schema. `toolwire lint --fix` does that.',
  },
  missing_properties: {
    title: 'The parameters do not list their properties',
    explanation:
      'OpenAI refuses an object at the root of the parameters without "properties" ("object schema missing properties"), also when the function takes no arguments.',
    remedy: 'Add "properties": {} when there are none. `toolwire lint --fix` does that.',
  },
  root_keyword_refused: {
    title: 'A keyword that providers refuse at the root of the parameters',
    explanation:
      "Both OpenAI and Anthropic refuse oneOf, anyOf and allOf at the top level of a function's parameters; OpenAI refuses enum and not there too. Deeper in the schema they are accepted.",
    remedy:
      'Move the alternatives into one property, or make all properties optional and state the rule in the description.',
  },
  property_name_refused: {
    title: 'A property name that Messages refuses',
    explanation:
      'On Messages the names of the top-level properties of input_schema must be 1 to 64 letters, digits, underscores, dots and hyphens. One misnamed property makes the whole request fail.',
    remedy:
      'Rename the property in the schema and translate it back where the tool runs, for instance filter[id] to filter.id.',
  },
  array_without_items: {
    title: 'An array that does not say what it holds',
    explanation: 'OpenAI refuses a schema of type array without "items", in strict mode or not.',
    remedy: 'Add "items" with the schema of the elements.',
  },
  undeclared_required: {
    title: 'A required property that is not declared',
    explanation:
      'The schema requires a property it does not describe. The model must write it without knowing what it is, and strict mode refuses the schema.',
    remedy:
      'Declare the property, or take its name out of "required"; often one of the two is a misspelling.',
  },
  empty_enum: {
    title: 'A list of allowed values that is empty',
    explanation:
      'An empty "enum" allows no value at all, and providers refuse it. It often comes from a list that was filled at run time and stayed empty.',
    remedy: 'List the values, or leave "enum" out.',
  },
  strict_unstated: {
    title: '"strict" is left to the server',
    explanation:
      'When a Responses function does not say "strict", the server tries to make it strict, which turns optional parameters into required ones, and silently falls back when the schema does not allow it. Chat Completions and Messages treat an absent "strict" as false.',
    remedy:
      'Say "strict": false to keep the schema as it is, or "strict": true to be told when it does not fit.',
  },
  tool_choice_undeclared: {
    title: 'The choice names a tool that is not declared',
    explanation:
      'tool_choice forces or allows a tool that the request does not declare under that name and kind; providers refuse that.',
    remedy: 'Declare the tool, correct its name in the choice, or leave the choice to the model.',
  },
  deferred_without_search: {
    title: 'A tool waits for a search that nobody makes',
    explanation:
      '`defer_loading` keeps a tool out of the model’s sight until a tool search finds it. Without a tool search among the tools, OpenAI refuses the request and other models never see the tool.',
    remedy: 'Declare a tool search, or leave `defer_loading` out.',
  },
  duplicate_key: {
    title: 'The same key twice in one JSON object',
    explanation: 'JSON readers keep one of the two values, mostly the last, and silently drop the other.',
    remedy: 'Remove or rename one of the two.',
  },
  number_imprecise: {
    title: 'A number that JSON readers change',
    explanation:
      'Most JSON readers, this one among them, keep numbers as 64-bit floating point. An integer beyond 2^53, such as 9223372036854775807, or a decimal with more digits than fit becomes a neighbouring number, and one beyond 1.8e308 becomes none at all.',
    remedy:
      'Write a number that fits, leave the bound out, or give the number as a string where the schema allows that.',
  },
  unreadable_file: {
    title: 'A file that could not be read or written',
    explanation:
      'The file does not exist, may not be opened, is not JSON in UTF-8, or holds neither tools nor a request body. Nothing in it was looked at.',
    remedy: 'Correct what the message names, or leave the file out.',
  },
}
