/** Who may import whom. Invariants 1 and 2 of ARCHITECTURE.md. */
import { posix } from 'node:path'
import { describe, expect, test } from 'vitest'
import { appSource, coreSource, importsOf } from '../support/house/source.ts'

const tokenizers = ['gpt-tokenizer/encoding/o200k_base', 'gpt-tokenizer/encoding/cl100k_base']

/** Each room of core, the rooms it may use, and the packages it may depend on. */
const rooms: {
  readonly [room: string]: { readonly rooms: readonly string[]; readonly packages?: readonly string[] }
} = {
  model: { rooms: [] },
  sse: { rooms: [] },
  schema: { rooms: ['model'] },
  diagnostics: { rooms: ['model'] },
  codecs: { rooms: ['model', 'schema', 'sse'] },
  convert: { rooms: ['model', 'schema', 'sse', 'codecs'] },
  lint: { rooms: ['model', 'schema', 'codecs', 'convert'] },
  runtime: { rooms: ['model', 'schema'] },
  talk: { rooms: ['model', 'schema', 'sse', 'codecs', 'convert', 'runtime'] },
  steps: { rooms: ['model', 'schema', 'runtime'] },
  tokens: { rooms: ['model', 'schema', 'codecs', 'convert'], packages: tokenizers },
  openai: { rooms: ['model', 'schema', 'codecs', 'convert', 'runtime', 'tokens'] },
  testing: { rooms: ['model', 'schema', 'sse', 'codecs', 'convert', 'runtime', 'lint', 'platform.ts'] },
}

const roomOf = (path: string): string => path.split('/')[3] ?? ''

describe('core', () => {
  test('has files in every room, and no room that is not listed', () => {
    const found = new Set(coreSource.map(({ path }) => roomOf(path)).filter(room => !room.endsWith('.ts')))
    expect([...found].sort()).toEqual(Object.keys(rooms).sort())
  })

  test.each(coreSource.filter(({ path }) => !roomOf(path).endsWith('.ts')))(
    '$path imports only what its room may',
    file => {
      const room = roomOf(file.path)
      const allowed = rooms[room]
      for (const specifier of importsOf(file)) {
        if (!specifier.startsWith('.')) {
          expect(allowed?.packages ?? [], `package ${specifier}`).toContain(specifier)
          continue
        }
        const target = roomOf(posix.join(posix.dirname(file.path), specifier))
        // Where a room is published, what it needs of the platform is bound to it by a file at the root.
        if (target.endsWith('.ts') && file.path.endsWith('/index.ts')) continue
        if (target !== room) expect(allowed?.rooms, `${specifier}`).toContain(target)
      }
    },
  )

  test('a codec never imports another codec', () => {
    const inCodec = coreSource.filter(({ path }) => /\/codecs\/\w+\//.test(path))
    expect(inCodec.length).toBeGreaterThanOrEqual(9)
    for (const file of inCodec) {
      const own = posix.dirname(file.path)
      for (const specifier of importsOf(file).filter(s => s.startsWith('.'))) {
        const target = posix.dirname(posix.join(own, specifier))
        const isOtherCodec = /\/codecs\/\w+$/.test(target) && target !== own
        expect(isOtherCodec, `${file.path} imports ${specifier}`).toBe(false)
      }
    }
  })

  test('every codec has the same files', () => {
    const names = (wire: string): string[] =>
      coreSource
        .map(({ path }) => path)
        .filter(path => path.includes(`/codecs/${wire}/`))
        .map(path => posix.basename(path))
    const shared = [
      'answer.ts',
      'codec.ts',
      'errors.ts',
      'parts.ts',
      'profile.ts',
      'request.ts',
      'settings.ts',
      'stream-decoder.ts',
      'stream-encoder.ts',
      'tool-choice.ts',
      'tool-params.ts',
      'tools.ts',
      'turns.ts',
      'usage.ts',
    ]
    for (const wire of ['chat', 'responses', 'messages'])
      expect(names(wire)).toEqual(expect.arrayContaining(shared))
  })

  test('nothing outside the codecs compares the name of a wire', () => {
    const compares = coreSource
      .filter(({ path }) => !path.includes('/codecs/'))
      .filter(({ text }) =>
        /[=!]==\s*'(chat|responses|messages)'|'(chat|responses|messages)'\s*[=!]==|case '(chat|responses|messages)'/.test(
          text,
        ),
      )
    expect(compares.map(({ path }) => path)).toEqual([])
  })

  test('invariant 12: nothing prints, nothing reads the clock or chance', () => {
    for (const { path, text } of coreSource.filter(file => !file.path.endsWith('/src/platform.ts'))) {
      expect(text, path).not.toMatch(/\bconsole\.|\bprocess\.|\bDate\.now|new Date\(|Math\.random|\bfetch\(/)
    }
  })

  test('nothing evaluates text as code', () => {
    for (const { path, text } of [...coreSource, ...appSource]) {
      expect(text, path).not.toMatch(/\beval\(|new Function\b|\bFunction\(/)
    }
  })
})

describe('the application', () => {
  test('has files', () => expect(appSource.length).toBeGreaterThan(3))

  test.each(appSource)("$path uses core's published entry points only", file => {
    for (const specifier of importsOf(file)) {
      if (specifier.startsWith('.')) {
        expect(posix.join(posix.dirname(file.path), specifier)).toMatch(/^packages\/toolwire\/src\//)
      } else if (specifier.includes('toolwire')) {
        expect(specifier).toMatch(
          /^@toolwire\/core(\/(schema|lint|openai|diagnostics|steps|presets|tokens|testing))?$/,
        )
      }
    }
  })
})
