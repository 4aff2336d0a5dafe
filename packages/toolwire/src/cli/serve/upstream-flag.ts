/** `--upstream wire=url[,key=ENV][,models=a|b][,name=x]`: one upstream in one word. */
import { checkShape } from '../../config/check-shape.ts'
import type { UpstreamConfig } from '../../config/config.ts'
import { upstreamRule } from '../../config/upstream-fields.ts'
import { UsageError } from '../../terminal/errors.ts'
import { printable } from '../../terminal/printable.ts'
import { didYouMean } from '../../terminal/suggest.ts'
import { wireOption } from '../wire-option.ts'

const form =
  'Write --upstream chat=http://127.0.0.1:11434/v1, and if need be ,key=ENV_NAME ,models=a|b ,name=local.'
const parts = ['key', 'models', 'name']

export function upstreamsFromFlags(values: readonly string[]): UpstreamConfig[] {
  const upstreams: UpstreamConfig[] = []
  for (const value of values) {
    const taken = new Set(upstreams.map(({ name }) => name))
    upstreams.push(upstreamFrom(value, taken))
  }
  return upstreams
}

function upstreamFrom(value: string, taken: ReadonlySet<string>): UpstreamConfig {
  const [first = '', ...rest] = value.split(',')
  const [wireName, baseUrl] = cut(first)
  if (baseUrl === undefined) throw new UsageError(`--upstream ${printable(value)} names no address.`, form)
  const wire = wireOption('--upstream', wireName)
  const given = new Map<string, string>()
  for (const piece of rest) {
    const [name, text] = cut(piece)
    if (!parts.includes(name) || !text) {
      throw new UsageError(
        `--upstream: "${printable(piece)}" says nothing here.`,
        didYouMean(name, parts) ?? form,
      )
    }
    given.set(name, text)
  }
  const key = given.get('key')
  const models = given
    .get('models')
    ?.split('|')
    .filter(model => model !== '')
  const upstream: UpstreamConfig = {
    name: given.get('name') ?? freeName(wire, taken),
    wire,
    baseUrl,
    ...(key !== undefined && { apiKeyEnv: key }),
    ...(models !== undefined && { models }),
  }
  const [problem] = checkShape(upstream, upstreamRule)
  if (problem === undefined) return upstream
  throw new UsageError(`--upstream ${printable(value)}: ${problem.message}`, problem.remedy ?? form)
}

function cut(piece: string): [name: string, value: string | undefined] {
  const at = piece.indexOf('=')
  return at < 0 ? [piece.trim(), undefined] : [piece.slice(0, at).trim(), piece.slice(at + 1).trim()]
}

function freeName(wire: string, taken: ReadonlySet<string>): string {
  if (!taken.has(wire)) return wire
  let number = 2
  while (taken.has(`${wire}-${number}`)) number++
  return `${wire}-${number}`
}
