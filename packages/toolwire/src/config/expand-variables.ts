/** `${NAME}` in the values of a configuration file stands for a variable of the environment. */
import type { Path } from '@toolwire/core'
import { isObject } from '@toolwire/core/json'
import { formatPath } from '../terminal/format-path.ts'
import { printable } from '../terminal/printable.ts'
import type { Problem } from './check-shape.ts'
import { configRule } from './config-table.ts'
import type { Rule } from './rule.ts'

type Env = Readonly<Record<string, string | undefined>>

export interface Expanded {
  readonly value: unknown
  /** What is wrong with the places; a value that has one is left as it is. */
  readonly problems: readonly Problem[]
}

export function expandVariables(value: unknown, env: Env): Expanded {
  const problems: Problem[] = []
  const walk = (inner: unknown, rule: Rule | undefined, path: Path): unknown => {
    if (typeof inner === 'string') return expandText(inner, env, path, problems)
    // Code and what it holds is not written in the file.
    if (rule?.kind === 'code') return inner
    if (Array.isArray(inner)) {
      const item = rule?.kind === 'list' ? rule.item : undefined
      return inner.map((each, index) => walk(each, item, [...path, index]))
    }
    if (!isObject(inner)) return inner
    return Object.fromEntries(
      Object.entries(inner).map(([name, each]) => [name, walk(each, ruleOf(rule, name), [...path, name])]),
    )
  }
  return { value: walk(value, configRule, []), problems }
}

function ruleOf(rule: Rule | undefined, name: string): Rule | undefined {
  return rule?.kind === 'object' && Object.hasOwn(rule.fields, name) ? rule.fields[name]?.rule : undefined
}

/** `$${` stands for `${` itself. */
const place = /\$?\$\{([^}]*)\}?/g

function expandText(text: string, env: Env, path: Path, problems: Problem[]): string {
  if (!text.includes('${')) return text
  let isWhole = true
  const expanded = text.replaceAll(place, (found, name: string) => {
    if (found.startsWith('$$')) return found.slice(1)
    const value = Object.hasOwn(env, name) ? env[name] : undefined
    if (value !== undefined && value !== '' && found.endsWith('}')) return value
    isWhole = false
    problems.push(problemWith(name, found, path))
    return found
  })
  return isWhole ? expanded : text
}

function problemWith(name: string, found: string, path: Path): Problem {
  const at = `"${formatPath(path)}"`
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) || !found.endsWith('}')) {
    const message = `${at} has ${JSON.stringify(printable(found))}, which names no environment variable.`
    return { path, message, remedy: 'Write ${NAME}, or $${ for the two characters themselves.' }
  }
  return {
    path,
    variable: name,
    message: `The environment variable ${name}, which ${at} needs, is not set.`,
    remedy: `Set it before starting: export ${name}=…`,
  }
}
