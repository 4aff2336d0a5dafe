import { describe, expect, test } from 'vitest'
import { events, gatewayWith, id, request, trace } from './fake-gateway.test-helper.ts'

describe('one view', () => {
  test('A view goes into a pipe as it was on the wire.', async () => {
    const { stdout, stderr } = await trace([id, '--view', 'client-request'], gatewayWith())
    expect([stdout, stderr]).toEqual([`${JSON.stringify(request)}\n`, ''])
    const answer = await trace([id, '--view', 'client-answer'], gatewayWith())
    expect(answer.stdout).toBe(events)
  })

  test('A view is laid out on a terminal.', async () => {
    const setup = { ...gatewayWith(), isTTY: true, env: { NO_COLOR: '1' } }
    const { stdout } = await trace([id, '--view', 'upstream-request'], setup)
    expect(stdout.split('\n')[0]).toBe('upstream-request 1 of 2  POST http://local/v1/chat/completions, 11 B')
    expect((await trace([id, '--view', 'client-request'], setup)).stdout).toContain('\\u202e')
  })

  test('A cut view is reported on stderr.', async () => {
    const gateway = gatewayWith(
      observation => {
        observation.view('client-request', 'x'.repeat(5000))
        observation.viewHead('client-request', { line: 'again', headers: {} })
      },
      { viewBytes: 1500 },
    )
    const { stdout, stderr } = await trace([id, '--view', 'client-request'], gateway)
    expect(stdout).toMatch(/^x+\n$/)
    expect(stderr).toBe(
      'note: client-request: only the beginning was kept (of 4.9 KiB); 1 more were not kept.\n',
    )
  })

  test('A view goes into a pipe as one document, that of the last round unless --round is set.', async () => {
    const gateway = gatewayWith()
    const texts = gateway.ring.get(id)?.views['upstream-request']?.parts.map(({ text }) => text) ?? []
    expect(texts).toHaveLength(2)
    const last = await trace([id, '--view', 'upstream-request'], gateway)
    expect([last.stdout, last.stderr]).toEqual([
      `${texts[1]}\n`,
      'note: upstream-request: round 2 of 2; --round picks another.\n',
    ])
    const first = await trace([id, '--view', 'upstream-request', '--round', '1'], gateway)
    expect([first.stdout, first.stderr]).toEqual([`${texts[0]}\n`, ''])
  })

  test('With --round, one round is shown on a terminal and in JSON.', async () => {
    const argv = [id, '--view', 'upstream-request', '--round', '2']
    const setup = { ...gatewayWith(), isTTY: true, env: { NO_COLOR: '1' } }
    const { stdout } = await trace(argv, setup)
    expect(stdout).toContain('upstream-request 2 of 2')
    expect(stdout).not.toContain('1 of 2')
    expect(JSON.parse((await trace([...argv, '--json'], setup)).stdout).parts).toHaveLength(1)
  })

  test.each([
    [['--view', 'upstream-request', '--round', '3'], 'upstream-request has no round 3; it has 2.'],
    [['--view', 'upstream-request', '--round', '0'], '--round must be a whole number above 0'],
    [['--round', '1'], '--round is about one view.'],
  ])('The arguments %j are refused.', async (argv, message) => {
    const { code, stderr } = await trace([id, ...argv], gatewayWith())
    expect(code).toBe(2)
    expect(stderr).toContain(message)
  })

  test('A view that was not recorded is refused.', async () => {
    const { code, stderr } = await trace([id, '--view', 'upstream-answer'], gatewayWith())
    expect(code).toBe(2)
    expect(stderr).toContain('This exchange has no upstream-answer.')
  })
})
