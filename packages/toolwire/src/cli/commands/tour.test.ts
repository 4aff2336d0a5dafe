import { expect, it } from 'vitest'
import { commands } from '../command-table.ts'
import { toolwire } from '../memory-io.test-helper.ts'

it('the tour shows the tools, the losses, the way back and what to try', async () => {
  const { code, stdout, stderr } = await toolwire(['tour'])
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toMatchInlineSnapshot(`
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

      note     hosted_tool_emulated  tools[3].type  "local_shell" became the function "local_shell".
      warning  hosted_tool_dropped   tools[4]       The target wire has no "web_search"; it was left out.
      note     custom_tool_wrapped   tools[1].type  The free-text tool became a function with one string, "input". Its lark grammar stands in the description.
      note     namespace_flattened   tools[2].name  The tools of "mcp__demo" now carry it in their names.

    3  The way back

    The model calls the tools it saw; the agent gets the calls it understands:

      model  apply_patch {"input":"*** Begin Patch\\n*** End Patch"}
      agent  custom_tool_call apply_patch "*** Begin Patch\\n*** End Patch"

      model  mcp__demo__search {"query":"strict mode"}
      agent  function_call search of mcp__demo {"query":"strict mode"}

    4  Try it

      # convert a request
      npx toolwire convert tools --to chat fixtures/responses/hosted/body.json
      # see what a provider would refuse
      npx toolwire lint --from chat fixtures/chat/mixed-shapes/body.json
      # ask about any code
      npx toolwire explain custom_tool_wrapped
    "
  `)
})

it('the tour ends with commands that exist', async () => {
  const { stdout } = await toolwire(['tour'])
  const commandLines = [...stdout.matchAll(/npx toolwire (\w+)/g)].map(([, name]) => name)
  expect(commandLines).toHaveLength(3)
  for (const name of commandLines) expect(Object.keys(commands)).toContain(name)
})
