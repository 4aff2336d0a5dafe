import { catalog, severities } from '@toolwire/core/diagnostics'
import { describe, expect, test } from 'vitest'
import { failureCodes } from '../gateway/failure-codes.ts'
import { toolwire } from './memory-io.test-helper.ts'

const plain = (text: string): string => text.replace(/\s+/g, ' ')

describe('explain', () => {
  test.each(['missing_name', 'Missing-Name'])('"explain" describes %s.', async word => {
    const { code, stdout, stderr } = await toolwire(['explain', word])
    expect([code, stderr]).toEqual([0, ''])
    const { title, explanation, remedy } = catalog.missing_name
    expect(stdout.split('\n')[0]).toBe(`error[missing_name] ${title}`)
    expect(plain(stdout)).toContain(plain(explanation))
    expect(plain(stdout)).toContain(plain(remedy))
  })

  test('"explain" knows every code.', async () => {
    const { stdout } = await toolwire(['explain'])
    for (const code of Object.keys({ ...severities, ...failureCodes })) {
      expect(stdout).toContain(`  ${code} `)
      expect((await toolwire(['explain', code])).code).toBe(0)
    }
  })

  test('"explain" describes a failure of the gateway.', async () => {
    const { stdout } = await toolwire(['explain', 'upstream_cut'])
    expect(plain(stdout)).toContain(plain(failureCodes.upstream_cut?.remedy ?? '-'))
  })

  test('"explain" breaks no line inside code.', async () => {
    for (const code of Object.keys({ ...severities, ...failureCodes })) {
      const { stdout } = await toolwire(['explain', code])
      const broken = stdout.split('\n').filter(line => line.split('`').length % 2 === 0)
      expect([code, ...broken]).toEqual([code])
    }
  })

  test('"explain" knows the refusals of an upstream by any status.', async () => {
    const { code, stdout } = await toolwire(['explain', 'upstream_429'])
    expect(code).toBe(0)
    expect(plain(stdout)).toContain(plain(failureCodes['upstream_<status>']?.title ?? '-'))
  })

  test('"explain" suggests similar codes for an unknown one.', async () => {
    const { code, stdout, stderr } = await toolwire(['explain', 'missing_nane'])
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain('Did you mean missing_name')
    expect((await toolwire(['explain', 'toString'])).code).toBe(2)
  })

  test('"explain --json" writes JSON.', async () => {
    const one = JSON.parse((await toolwire(['explain', 'missing_name', '--json'])).stdout)
    expect(one).toEqual({ code: 'missing_name', severity: 'error', ...catalog.missing_name })
    const all = JSON.parse((await toolwire(['explain', '--json'])).stdout)
    expect(all).toHaveLength(Object.keys({ ...severities, ...failureCodes }).length)
    expect(all).toContainEqual(one)
  })
})
