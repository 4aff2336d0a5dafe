/** What a user quotes is run as it is only if it looks at things and does nothing else. */
import { describe, expect, test } from 'vitest'
import { onlyReads } from './never-destroy.ts'

describe('what only reads', () => {
  test.each([
    'ls -la',
    'cat notes.txt',
    'grep -rn "todo" src',
    'wc -l *.md\n',
    'date',
    'hostname',
    '(1 + 2) * 3',
    'select name from users where age > 3',
    'SELECT count(*), max(age) FROM users',
  ])('`%s` is run.', text => {
    expect(onlyReads(text)).toBe(true)
  })
})

describe('what may change something', () => {
  test.each([
    'rm -rf data',
    'echo hi\nrm -rf data',
    'echo hi\r\nrm -rf data',
    'echo hi; rm -rf data',
    'echo hi && rm -rf data',
    'echo hi > input.txt',
    'echo $(rm -rf data)',
    'echo `rm -rf data`',
    'cat <(rm data)',
    'uniq notes.txt input.txt',
    'sort -uo input.txt input.txt',
    'sort --outp=input.txt a',
    'tree -ao input.txt',
    'date -s 2020-01-01',
    'hostname evil',
    'file -C -m input',
    'rg --pre rm x',
    'rg x --pre=./evil',
    'find . -delete',
    'PATH=. ls',
    'select * into copy from users',
    'select 1; drop table users',
    'select pg_terminate_backend(1)',
    'select lo_unlink (5)',
    'select "lo_unlink"(5)',
  ])('`%s` is not run.', text => {
    expect(onlyReads(text)).toBe(false)
  })
})
