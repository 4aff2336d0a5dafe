/** When an upstream does not know a model: what it has instead, and the setting that would send the name there. */
import { listUpstreamModels } from '../upstream/list-models.ts'
import { renameHint } from '../upstream/route-model.ts'
import type { ExchangeRun } from './run.ts'

const shownModels = 20

/** `undefined` where the upstream has the model, so that something else is missing, or does not say what it has. */
export async function missingModelHint(run: ExchangeRun): Promise<string | undefined> {
  const { context, upstream, upstreamModel, stopwatch } = run
  // Which models there are is not for every key to know.
  if (context.tenant?.hasModels) return undefined
  const listed = await stopwatch.wait(listUpstreamModels(context.gateway, upstream, context))
  const found = listed && [...listed.keys()]
  const [first] = found ?? []
  if (found === undefined || first === undefined || found.includes(upstreamModel)) return undefined
  const { model = upstreamModel } = context.observation.facts
  const more = found.length > shownModels ? `, and ${found.length - shownModels} more` : ''
  const has = `Upstream "${upstream.name}" has: ${found.slice(0, shownModels).join(', ')}${more}.`
  return `${has} ${renameHint(model, upstream.name, first)}`
}
