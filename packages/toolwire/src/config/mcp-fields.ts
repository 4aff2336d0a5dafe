/** The settings of an MCP server: a program to start, or an address. */
import { isObject } from '@toolwire/core/json'
import type { McpAddress, McpProgram } from '../mcp/settings.ts'
import type { EitherRule, Field, Fields, FieldsOf, ObjectRule } from './rule.ts'
import { text, textMap, texts, whole } from './rule.ts'

const object = (fields: Fields): ObjectRule => ({ kind: 'object', fields })

const mcpTimeout: Field = {
  rule: whole(1, 2 ** 31 - 1),
  about: 'How long a call of its tools may take, in milliseconds.',
}

const mcpProcess: FieldsOf<McpProgram> = {
  command: { rule: text, required: true, about: 'The program to start.' },
  args: { rule: texts, about: 'Its arguments.' },
  env: { rule: textMap, secret: true, about: 'Environment variables for it.' },
  cwd: { rule: text, about: 'The folder to start it in.' },
  timeoutMs: mcpTimeout,
}

const mcpAddress: FieldsOf<McpAddress> = {
  url: {
    rule: {
      kind: 'text',
      pattern: /^https?:\/\/[^\s/]\S*$/,
      expects: 'an address that begins with http:// or https://',
    },
    required: true,
    about: 'Where the server listens.',
  },
  headers: { rule: textMap, secret: true, about: 'Headers that go with every request to it.' },
  timeoutMs: mcpTimeout,
}

export const mcpServer: EitherRule = {
  kind: 'either',
  of: [object(mcpProcess), object(mcpAddress)],
  choose: value =>
    isObject(value) ? object(Object.hasOwn(value, 'url') ? mcpAddress : mcpProcess) : undefined,
  expects: 'an object with "command" or "url"',
}
