/**
 * A structured step: the model must give a palette that fits a schema and whose colours are hex codes. Its first
 * attempt is not good enough; the audit says why, and the second attempt is. Run it with
 * `npm run build && node examples/palette-step/index.mjs`. It needs no network: `send` plays the server.
 */
import assert from 'node:assert/strict'
import { connectModel } from '@toolwire/core'
import { defineStep, runStep } from '@toolwire/core/steps'

const palette = defineStep({
  name: 'palette',
  description: 'Gives the colours of a brand.',
  outputSchema: {
    type: 'object',
    properties: {
      colors: { type: 'array', items: { type: 'string' }, description: 'Array of hex color codes' },
      confidence: { type: 'number', minimum: 0, maximum: 1, description: 'Confidence score' },
    },
    required: ['colors', 'confidence'],
  },
  instructions: 'You choose colours for brands.',
  prompt: (/** @type {{ brand: string }} */ { brand }) => `Choose two colours for ${brand}.`,
  // Values change, the structure does not; the schema is checked again after this.
  sanitizeOutput: ({ colors, confidence }) => ({
    colors: colors.map(color => (/^[0-9A-Fa-f]{6}$/.test(color) ? `#${color}` : color)),
    confidence,
  }),
  audits: [
    {
      name: 'hex codes',
      audit: ({ colors }) =>
        colors
          .filter(color => !/^#[0-9A-Fa-f]{6}$/.test(color))
          .map(color => ({
            id: `not-hex-${color}`,
            severity: 'high',
            description: `"${color}" is not a hex colour code.`,
            suggestions: ['Write each colour as # and six hex digits.'],
          })),
    },
  ],
})

// What the model will say, attempt by attempt: the arguments of the call that the step makes it make.
const script = [
  { colors: ['FFFFFF', 'navy'], confidence: 0.9 },
  { colors: ['FFFFFF', '#000080'], confidence: 0.8 },
]

/** A server of the chat wire that follows the script, and the bodies it was sent. */
const seen = []
async function send(body) {
  const output = script[seen.length]
  seen.push(body)
  assert.ok(output, 'The model was asked more often than the script allows.')
  const call = { name: 'palette', arguments: JSON.stringify(output) }
  return {
    id: `chatcmpl-${seen.length}`,
    object: 'chat.completion',
    created: 0,
    model: 'scripted',
    choices: [
      {
        index: 0,
        finish_reason: 'stop',
        message: {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: `call_${seen.length}`, type: 'function', function: call }],
        },
      },
    ],
    usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 },
  }
}

const say = text => process.stdout.write(`${text}\n`)

const result = await runStep(
  palette,
  { brand: 'Acme' },
  {
    model: connectModel({ wire: 'chat', send, request: { model: 'scripted' } }),
    onEvent(event) {
      if (event.type === 'attempt-started') say(`Attempt ${event.attempt}: the model is asked.`)
      if (event.type === 'audit-failed')
        for (const { severity, description } of event.issues)
          say(`  The audit found: [${severity}] ${description}`)
      if (event.type === 'retry')
        say('  It is asked again, with this attempt and its issues before its eyes.')
      if (event.type === 'step-finished' && event.result.ok) say('  Accepted.')
    },
  },
)

if (!result.ok) throw result.error
say(`\nThe palette: ${result.output.colors.join(', ')}, confidence ${result.output.confidence}`)
say(`Tokens over ${result.attempts.length} attempts: ${result.usage.input} in, ${result.usage.output} out`)

// The tool was built from the output schema, in its strict form, and the model was made to call it.
const [first, second] = seen
assert.deepEqual(Object.keys(first.tools[0].function.parameters.properties), ['colors', 'confidence'])
assert.equal(first.tools[0].function.strict, true)
assert.equal(first.tool_choice.function.name, 'palette')
// The second request shows the first attempt as a call, and its issues as the call's result.
const [, , attempt, issues] = second.messages
assert.deepEqual(JSON.parse(attempt.tool_calls[0].function.arguments), script[0])
assert.equal(issues.tool_call_id, 'call_1')
assert.match(issues.content, /"navy" is not a hex colour code/)
assert.doesNotMatch(issues.content, /"#FFFFFF" is not/)
// The sanitizer mended the missing #, and the result is what the audit saw.
assert.deepEqual(result.output, { colors: ['#FFFFFF', '#000080'], confidence: 0.8 })
assert.deepEqual(result.usage, { input: 200, output: 40 })
