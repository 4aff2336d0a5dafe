/** docs/configuration.md is generated from the table of settings. `npm run docs` writes it. */
import { expect, test } from 'vitest'
import { configRule } from '../../packages/toolwire/src/config/config-table.ts'
import type { Field, ObjectRule, Rule } from '../../packages/toolwire/src/config/rule.ts'
import { root } from '../support/house/source.ts'

/** The kind of value that a reader has to write. */
function kindOf(rule: Rule): string {
  switch (rule.kind) {
    case 'text':
      return rule.expects ?? 'text'
    case 'flag':
      return rule.only === undefined ? '`true`, `false`' : `\`${rule.only}\``
    case 'number':
      return rule.fractions === true ? 'number' : 'whole number'
    case 'choice':
      return rule.of.map(word => `\`${word}\``).join(', ')
    case 'wire':
      return 'name of a wire'
    case 'null':
      return '`null`'
    case 'any object':
      return 'object'
    case 'list':
      return rule.item.kind === 'object' ? 'list: see below' : `list of ${kindOf(rule.item)}`
    case 'map':
      return objectsOf(rule).length > 0
        ? 'object by name: see below'
        : `object by name, each ${kindOf(rule.value)}`
    case 'object':
      return 'see below'
    case 'either':
      return rule.expects
    case 'code':
      return 'in a `.js` or `.ts` file only'
  }
}

/** The objects that a value of this rule may be or hold. */
function objectsOf(rule: Rule): ObjectRule[] {
  switch (rule.kind) {
    case 'object':
      return [rule]
    case 'list':
      return objectsOf(rule.item)
    case 'map':
      return objectsOf(rule.value)
    case 'either':
      return rule.of.flatMap(objectsOf)
    default:
      return []
  }
}

function defaultOf({ default: usual, required }: Field): string {
  if (required === true) return '**required**'
  return usual === undefined ? '' : `\`${JSON.stringify(usual)}\``
}

function section(title: string, { fields }: ObjectRule): string[] {
  const cell = (text: string): string => text.replaceAll('|', '\\|')
  return [
    '',
    `## ${title}`,
    '',
    '| Setting | Value | Default | Meaning |',
    '|---|---|---|---|',
    ...Object.entries(fields).map(
      ([name, field]) =>
        `| \`${name}\` | ${cell(kindOf(field.rule))} | ${cell(defaultOf(field))} | ${cell(field.about)} |`,
    ),
    ...Object.entries(fields).flatMap(([name, { rule }]) => {
      const objects = objectsOf(rule)
      const place = title === 'All settings' ? name : `${title.replaceAll('`', '')}.${name}`
      const heading = rule.kind === 'list' ? `${place}[]` : rule.kind === 'map' ? `${place}.*` : place
      return objects.flatMap((one, i) =>
        section(`\`${heading}\`${objects.length > 1 ? `, form ${i + 1}` : ''}`, one),
      )
    }),
  ]
}

const document = [
  '# Configuration',
  '',
  'Settings stand in `toolwire.config.json` or `.jsonc` (comments and trailing commas are allowed in both), `.js`, or from Node 22.18 `.ts`, in the folder',
  'where the command is run, or where `--config` says. Flags win over the environment, that over the file. `toolwire config print` shows what',
  'holds and where each value comes from; `toolwire config schema` writes the JSON Schema for editors. An unknown setting is refused with a',
  'suggestion. This page is made from the table that checks them.',
  ...section('All settings', configRule),
  '',
].join('\n')

test('The document docs/configuration.md matches the table of settings.', async () => {
  await expect(document).toMatchFileSnapshot(`${root}docs/configuration.md`)
})
