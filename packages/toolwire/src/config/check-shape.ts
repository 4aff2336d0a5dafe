/** Checks a value against a rule, and reports each mistake with its path and a remedy. */
import type { Path } from '@toolwire/core'
import type { JsonObject } from '@toolwire/core/json'
import { isObject } from '@toolwire/core/json'
import { createMasker } from '../telemetry/mask-secrets.ts'
import { formatPath } from '../terminal/format-path.ts'
import { printable, show } from '../terminal/printable.ts'
import { nearest } from '../terminal/suggest.ts'
import type { ChoiceRule, NumberRule, ObjectRule, Rule, TextRule } from './rule.ts'
import type { WireSet } from './wires.ts'
import { builtInWireSet } from './wires.ts'

export interface Problem {
  readonly path: Path
  readonly message: string
  readonly remedy?: string
  /** The environment variable that would have to be set. */
  readonly variable?: string
  /** The name of the last setting in the path is wrong, not its value. */
  readonly isAboutName?: boolean
}

/** `wires` are those whose names an upstream may have. */
export function checkShape(
  value: unknown,
  rule: Rule,
  wires: WireSet = builtInWireSet,
  path: Path = [],
): Problem[] {
  switch (rule.kind) {
    case 'text':
      return checkText(value, rule, path)
    case 'flag':
      if (typeof value === 'boolean' && (rule.only === undefined || rule.only === value)) return []
      return [wrong(value, path, rule.only === undefined ? 'true or false' : String(rule.only))]
    case 'number':
      return checkNumber(value, rule, path)
    case 'choice':
      return checkChoice(value, rule, path)
    case 'wire':
      return checkChoice(value, { of: wires.names, hints: wires.hints }, path)
    case 'null':
      return value === null ? [] : [wrong(value, path, 'null')]
    case 'any object':
      return isObject(value) ? [] : [wrong(value, path, 'an object')]
    case 'list':
      if (!Array.isArray(value)) return [wrong(value, path, 'a list')]
      return value.flatMap((item, index) => checkShape(item, rule.item, wires, [...path, index]))
    case 'map':
      if (!isObject(value)) return [wrong(value, path, 'an object')]
      return Object.entries(value).flatMap(([key, item]) =>
        checkShape(item, rule.value, wires, [...path, key]),
      )
    case 'object':
      return isObject(value) ? checkObject(value, rule, wires, path) : [wrong(value, path, 'an object')]
    case 'either': {
      const chosen = rule.choose(value)
      return chosen === undefined
        ? [wrong(value, path, rule.expects)]
        : checkShape(value, chosen, wires, path)
    }
    case 'code':
      return rule.flaws(value).map(flaw => {
        const at = [...path, ...flaw.path]
        return { ...flaw, path: at, message: printable(`"${formatPath(at)}" ${flaw.message}`) }
      })
  }
}

function checkText(value: unknown, { pattern, expects }: TextRule, path: Path): Problem[] {
  if (typeof value !== 'string' || value === '') return [wrong(value, path, expects ?? 'a text')]
  return pattern === undefined || pattern.test(value) ? [] : [wrong(value, path, expects ?? 'another text')]
}

function checkNumber(value: unknown, { min, max, fractions }: NumberRule, path: Path): Problem[] {
  const fits =
    typeof value === 'number' &&
    (fractions === true ? Number.isFinite(value) : Number.isSafeInteger(value)) &&
    value >= min &&
    (max === undefined || value <= max)
  if (fits) return []
  const range = max === undefined ? `, at least ${min}` : ` from ${min} to ${max}`
  return [wrong(value, path, `a ${fractions === true ? '' : 'whole '}number${range}`)]
}

function checkChoice(
  value: unknown,
  { of, hints = {} }: Pick<ChoiceRule, 'of' | 'hints'>,
  path: Path,
): Problem[] {
  if (typeof value === 'string' && of.includes(value)) return []
  const problem = wrong(value, path, `one of ${of.join(', ')}`)
  const [best] = typeof value === 'string' ? nearest(value, [...of, ...Object.keys(hints)]) : []
  if (best === undefined) return [problem]
  const remedy = (Object.hasOwn(hints, best) ? hints[best] : undefined) ?? `Did you mean "${best}"?`
  return [{ ...problem, remedy }]
}

function checkObject(value: JsonObject, rule: ObjectRule, wires: WireSet, path: Path): Problem[] {
  const { fields } = rule
  const missing = Object.entries(fields)
    .filter(([name, { required }]) => required === true && !Object.hasOwn(value, name))
    .map(([name]): Problem => ({ path, message: `${nameOf(path)} needs "${name}".` }))
  const given = Object.entries(value).flatMap(([name, item]) => {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined
    if (field === undefined) return [unknownKey(name, rule, path)]
    // In a program `undefined` means absent.
    if (item === undefined && field.required !== true) return []
    const problems = checkShape(item, field.rule, wires, [...path, name])
    return field.secret === true ? problems.map(hideValue) : problems
  })
  return [...missing, ...given]
}

function unknownKey(name: string, { fields, aliases = {} }: ObjectRule, path: Path): Problem {
  const names = Object.keys(fields).filter(field => field !== '$schema')
  const alias = Object.hasOwn(aliases, name) ? aliases[name] : undefined
  const best = alias ?? nearest(name, names)[0]
  return {
    path: [...path, name],
    isAboutName: true,
    message: `There is no setting "${printable(name)}" in ${nameOf(path)}.`,
    remedy: best === undefined ? `There are ${names.join(', ')}.` : `Did you mean "${best}"?`,
  }
}

function nameOf(path: Path): string {
  return path.length === 0 ? 'the configuration' : formatPath(path)
}

function wrong(value: unknown, path: Path, expects: string): Problem {
  const setting = path.length === 0 ? 'The configuration' : `"${formatPath(path)}"`
  return { path, message: `${setting} must be ${expects}${gotMark}${masker.text(show(value))}.` }
}

const masker = createMasker()
const gotMark = '; got '

/** A wrong value in the place of a key may be the key itself. */
function hideValue({ message, ...rest }: Problem): Problem {
  return { ...rest, message: `${message.split(gotMark, 1)[0]?.replace(/\.$/, '')}.` }
}
