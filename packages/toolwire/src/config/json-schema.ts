/** The table as JSON Schema, for editors that complete and check `toolwire.config.json`. */

import type { JsonObject } from '@toolwire/core/json'
import { configRule } from './config-table.ts'
import type { Field, ObjectRule, Rule } from './rule.ts'
import { builtInWireSet } from './wires.ts'

/** As `defineWire` demands. */
const wireNamePattern = '^[a-z][a-z0-9-]{0,31}$'

export function configJsonSchema(): JsonObject {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Configuration of toolwire',
    ...schemaOf(configRule),
  }
}

function schemaOf(rule: Rule): JsonObject {
  switch (rule.kind) {
    case 'text':
      return {
        type: 'string',
        minLength: 1,
        ...(rule.pattern !== undefined && { pattern: rule.pattern.source }),
      }
    case 'flag':
      return rule.only === undefined ? { type: 'boolean' } : { const: rule.only }
    case 'number':
      return {
        type: rule.fractions === true ? 'number' : 'integer',
        minimum: rule.min,
        maximum: rule.max ?? Number.MAX_SAFE_INTEGER,
      }
    case 'choice':
      return { enum: [...rule.of] }
    case 'wire':
      // Editors offer the built-in wires; the names of others are known only when the configuration is run.
      return { anyOf: [{ enum: builtInWireSet.names }, { type: 'string', pattern: wireNamePattern }] }
    case 'null':
      return { type: 'null' }
    case 'any object':
      return { type: 'object' }
    case 'list':
      return { type: 'array', items: schemaOf(rule.item) }
    case 'map':
      return { type: 'object', additionalProperties: schemaOf(rule.value) }
    case 'object':
      return objectSchema(rule)
    case 'either':
      return { anyOf: rule.of.map(schemaOf) }
    case 'code':
      return { not: {} }
  }
}

function objectSchema({ fields }: ObjectRule): JsonObject {
  // Settings that only a program can hold are not properties of a JSON file.
  const entries = Object.entries(fields).filter(([, { rule }]) => rule.kind !== 'code')
  const required = entries.filter(([, field]) => field.required === true).map(([name]) => name)
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, field]) => [name, fieldSchema(field)])),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  }
}

function fieldSchema({ rule, about, default: usual }: Field): JsonObject {
  return { description: about, ...schemaOf(rule), ...(usual !== undefined && { default: usual }) }
}
