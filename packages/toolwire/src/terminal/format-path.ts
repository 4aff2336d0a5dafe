import type { Path } from '@toolwire/core'
import { printable } from './printable.ts'

/** `['tools', 0, 'function', 'a b']` as `tools[0].function["a b"]`. `root` is written before the index of a bare list. */
export function formatPath(path: Path, root = ''): string {
  let text = root
  for (const part of path) {
    if (typeof part === 'number') text += `[${part}]`
    else if (!/^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(part)) text += `[${JSON.stringify(part)}]`
    else text += text === '' ? part : `.${part}`
  }
  return text === '' ? '(the whole input)' : printable(text)
}
