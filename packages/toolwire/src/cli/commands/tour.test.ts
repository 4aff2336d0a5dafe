import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { toolwire } from '../memory-io.test-helper.ts'

it('the tour shows the tools, the losses, the way back and what to try', async () => {
  const { code, stdout, stderr } = await toolwire(['tour'])
  expect([code, stderr]).toEqual([0, ''])
  // What the table says in words is core's to word.
  expect(stdout.replace(/^( {2}(?:note|warning) +\w+ +\S+) .*$/gm, '$1')).toMatchInlineSnapshot(`
    "
    1  An agent speaks Responses, the model server speaks Chat

    Five tools go in. This is what the model gets to see:

      function    read_file      →  function read_file(path)
      custom      apply_patch    →  function apply_patch(input)
      namespace   mcp__demo      →  function mcp__demo__search(query)
      local_shell                →  function local_shell(command)
      web_search                 →  left out

    2  Nothing is lost in silence

    Every change and every loss comes back as data, with the place it is about:

      note     custom_tool_wrapped   tools[1].type
      note     namespace_flattened   tools[2].name
      note     hosted_tool_emulated  tools[3].type
      warning  hosted_tool_dropped   tools[4]

    3  The way back

    The model calls the tools it saw; the agent gets the calls it understands:

      model  apply_patch {"input":"*** Begin Patch\\n*** End Patch"}
      agent  custom_tool_call apply_patch "*** Begin Patch\\n*** End Patch"

      model  mcp__demo__search {"query":"strict mode"}
      agent  function_call search of mcp__demo {"query":"strict mode"}

    4  A whole conversation

    Calls that were made at once share a message, and each result stands with its call:

      Responses items               Chat messages
      user                          user
      function_call call_1          assistant call_1 call_2
      function_call call_2          tool call_1
      function_call_output call_2   tool call_2
      function_call_output call_1

    5  Try it

      # convert tools of your own
      echo '[{"type":"web_search"}]' | npx toolwire convert tools --to chat
      # see what a provider would refuse
      echo '[{"name":"get weather"}]' | npx toolwire lint --from messages
      # see a request on the three wires, side by side
      echo '{"input":"Hi","truncation":"auto"}' | npx toolwire diff
      # ask about any code
      npx toolwire explain custom_tool_wrapped
    "
  `)
})

it('the tour ends with commands that work anywhere', async () => {
  const { stdout } = await toolwire(['tour'])
  const lines = stdout.split('\n').filter(line => line.includes('npx toolwire '))
  expect(lines).toHaveLength(4)
  for (const line of lines) {
    // The shell takes the line apart; where it would start npx, it tells what npx would be given.
    const tell = `npx() { printf '%s\\n' "$@"; echo --; cat; }`
    const told = execFileSync('sh', ['-c', `${tell}\n${line}`], { encoding: 'utf8', input: '' })
    const [words = '', stdin] = told.split('--\n')
    const [name, ...argv] = words.replace(/\n$/, '').split('\n')
    expect(name).toBe('toolwire')
    const result = await toolwire(argv, { stdin: stdin ?? '' })
    expect(result.code, line).toBe(argv[0] === 'lint' ? 1 : 0)
    expect(result.stdout).not.toBe('')
  }
})
