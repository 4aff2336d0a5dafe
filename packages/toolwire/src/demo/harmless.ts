/**
 * What goes into parameters that are run as code. Somebody may really run it, so unless the user put it in quotation
 * marks it is one of these and never made of the message's prose.
 */
import { meaningOf } from './words.ts'

const patch = `*** Begin Patch
*** Add File: hello-from-the-demo-model.txt
+Hello
*** End Patch`

const example = (words: string, text: string): { meanings: ReadonlySet<string>; text: string } => ({
  meanings: new Set(words.split(' ').map(meaningOf)),
  text,
})

/** The more telling words first: what `run_sql` runs is a statement. */
const examples = [
  example('sql statement', "SELECT 'Hello from the demo model'"),
  example('patch diff', patch),
  example('command cmd script shell bash terminal', 'echo "Hello from the demo model"'),
  example('code javascript python program exec eval', '"Hello from the demo model"'),
]

/** A text that does no harm when it is run; `undefined` when the words do not speak of running anything. */
export function harmlessText(meanings: Iterable<string>): string | undefined {
  const words = [...meanings]
  return examples.find(one => words.some(word => one.meanings.has(word)))?.text
}
