/** Running calls on the platform itself, and together with the way back from a wire. */
import { expect, test, vi } from 'vitest'
import { encodeTools } from './convert-tools.ts'
import { host } from './platform.ts'
import { runToolCalls } from './run-tool-calls.ts'
import { defineTool } from './runtime/tools/define-tool.ts'

test('runToolCalls restores names and removes strict nulls before it calls the handler.', async () => {
  const seen: unknown[] = []
  const tool = defineTool({
    name: 'files.read',
    parameters: {
      type: 'object',
      properties: { path: { type: 'string' }, lines: { type: 'integer' } },
      required: ['path'],
    },
    handler: args => void seen.push(args),
  })
  const { value: tools, undo } = encodeTools([tool], { to: 'chat', strict: 'strictify' })
  const [sent] = tools as { function: { name: string } }[]
  const name = sent?.function.name ?? ''
  expect(name).not.toBe('files.read')
  const calls = [{ id: 'call_1', name, arguments: '{"path":"a","lines":null}' }]
  const [outcome] = await runToolCalls(calls, { tools: [tool], undo })
  expect(outcome).toMatchObject({ status: 'ok', call: calls[0] })
  expect(seen).toEqual([{ path: 'a' }])
})

test('runToolCalls uses the clock and the signals of the platform.', async () => {
  const forever = defineTool({ name: 'forever', timeoutMs: 1, handler: () => new Promise(() => {}) })
  const [outcome] = await runToolCalls([{ id: '1', name: 'forever', arguments: '' }], { tools: [forever] })
  expect(outcome?.status).toBe('timed_out')
  const signal = AbortSignal.abort()
  const [aborted] = await runToolCalls([{ id: '1', name: 'forever', arguments: '' }], {
    tools: [forever],
    signal,
  })
  expect(aborted?.status).toBe('not_started')
})

test('A timer fires once, also after more than 32 bits of milliseconds, and never after it is cleared.', () => {
  vi.useFakeTimers()
  try {
    const fired: string[] = []
    host.after(3_000_000_000, () => fired.push('long'))
    host.after(Number.POSITIVE_INFINITY, () => fired.push('never'))
    host.after(1, () => fired.push('cleared'))()
    const clearLate = host.after(4_000_000_000, () => fired.push('cleared late'))
    vi.advanceTimersByTime(2_999_999_999)
    expect(fired).toEqual([])
    clearLate()
    vi.advanceTimersByTime(2_000_000_000)
    expect(fired).toEqual(['long'])
    expect(vi.getTimerCount()).toBe(0)
  } finally {
    vi.useRealTimers()
  }
})

test('The platform provides random numbers, ids and signals.', () => {
  expect(host.random()).toBeLessThan(1)
  expect(host.newId('a_')).toMatch(/^a_[a-z0-9]{24}$/)
  const { signal, abort } = host.createAbort()
  abort('why')
  expect(signal.reason).toBe('why')
})
