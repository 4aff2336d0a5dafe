/** The transport itself, with programs of one line. */
import process from 'node:process'
import { deserializeMessage, serializeMessage } from '@modelcontextprotocol/client'
import { expect, test } from 'vitest'
import { ProcessTransport } from './process-transport.ts'
import { gone } from './programs.test-helper.ts'

function start(code: string): {
  transport: ProcessTransport
  log: string[]
  messages: unknown[]
  errors: string[]
  closed: Promise<void>
} {
  const log: string[] = []
  const messages: unknown[] = []
  const errors: string[] = []
  const transport = new ProcessTransport(
    { command: process.execPath, args: ['-e', code] },
    {
      sdk: { deserializeMessage, serializeMessage },
      baseEnv: {},
      graceMs: 1,
      maxMessageBytes: 100,
      onLog: line => log.push(line),
    },
  )
  transport.onmessage = message => messages.push(message)
  transport.onerror = ({ message }) => errors.push(message)
  const closed = new Promise<void>(resolve => {
    transport.onclose = resolve
  })
  return { transport, log, messages, errors, closed }
}

const ping = { jsonrpc: '2.0', id: 1, method: 'ping' } as const

test('A transport sends and receives messages, logs other lines and reports how the program ended.', async () => {
  const echo = `process.stdin.once('data', data => { process.stdout.write('hello\\n\\n' + data); console.error('a\\u001b[2Jb'); process.stdin.destroy() })`
  const { transport, log, messages, errors, closed } = start(echo)
  await transport.start()
  await transport.send(ping)
  await closed
  expect(messages).toEqual([ping])
  expect(log.sort()).toEqual(['a\u001b[2Jb', 'hello'])
  expect(errors).toEqual([])
  expect(transport.ending).toBe(' It ended with exit code 0.')
  expect(transport.lastOutput).toContain('a [2Jb')
  await expect(transport.send(ping)).rejects.toThrow('The program has ended.')
  await transport.close()
})

test('A line of JSON that is not a message is an error, and the next message is received.', async () => {
  const { transport, messages, errors, closed } = start(
    `process.stdout.write('{"a":1}\\n' + ${JSON.stringify(`${JSON.stringify(ping)}\n`)})`,
  )
  await transport.start()
  await closed
  expect(errors).toHaveLength(1)
  expect(messages).toEqual([ping])
})

test('A message that is too long ends the program.', async () => {
  const { transport, messages, errors, closed } = start(
    `process.stdout.write('x'.repeat(1000)); setInterval(() => {}, 60000)`,
  )
  await transport.start()
  const { pid } = transport
  await closed
  expect(messages).toEqual([])
  expect(errors).toContain('The program wrote a message of more than 100 bytes.')
  await gone(pid ?? 0)
})

test('A transport can be closed twice, or before it was started.', async () => {
  const { transport } = start('process.stdin.resume()')
  await transport.close()
  await transport.start()
  await Promise.all([transport.close(), transport.close()])
})
