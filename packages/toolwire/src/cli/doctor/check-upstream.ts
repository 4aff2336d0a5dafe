/** Whether an upstream can be reached, accepts its key and lists the configured models. */
import type { WireSet } from '../../config/wires.ts'
import type { Upstream } from '../../gateway/settings.ts'
import { type ModelQuery, queryModels } from '../upstreams/ask-models.ts'
import type { Check, DoctorEnvironment } from './check-machine.ts'
import { ok, problem, warning } from './check-machine.ts'

const timeoutMs = 5_000
const withoutList: ReadonlySet<number> = new Set([404, 405, 501])

export async function checkUpstream(
  upstream: Upstream,
  wires: WireSet,
  { fetch, uptimeMs }: Pick<DoctorEnvironment, 'fetch' | 'uptimeMs'>,
): Promise<Check> {
  const started = uptimeMs()
  const answer = await queryModels(upstream, wires, fetch, timeoutMs)
  return judge(upstream, answer, `${Math.round(uptimeMs() - started)} ms`)
}

function judge(upstream: Upstream, { status, models = [], failure }: ModelQuery, time: string): Check {
  const { name, baseUrl, apiKey, forwardKey, disabled } = upstream
  const about = `upstream ${name}`
  if (status === undefined) {
    const remedy = 'Start the server, check the network, or mend "baseUrl".'
    return problem(about, `${baseUrl} cannot be reached: ${failure ?? 'no reason given'}.`, remedy)
  }
  if (status === 401 || status === 403) {
    if (forwardKey === true) return ok(about, `${baseUrl} answers in ${time}; clients bring their own keys.`)
    // That its key is missing was told where keys are checked.
    if (apiKey === undefined && disabled !== undefined)
      return ok(about, `${baseUrl} answers in ${time}, and waits for the key.`)
    return apiKey === undefined
      ? problem(about, `${baseUrl} asks for a key (${status}).`, 'Name its variable with "apiKeyEnv".')
      : problem(
          about,
          `${baseUrl} refuses the key (${status}).`,
          'Check that the key is right and still valid.',
        )
  }
  if (withoutList.has(status)) {
    const remedy = 'If requests fail too: "baseUrl" must end with the version, such as /v1.'
    return warning(about, `${baseUrl} answers in ${time}, but lists no models (${status}).`, remedy)
  }
  if (status === 429) return warning(about, `${baseUrl} answers in ${time}: too many requests (429).`)
  if (status >= 400) {
    return problem(about, `${baseUrl} answers with ${status}.`, 'Look at the log of the server.')
  }
  return judgeModels(upstream, models, time)
}

function judgeModels(
  { name, baseUrl, models = [], rename = {} }: Upstream,
  listed: readonly string[],
  time: string,
): Check {
  const about = `upstream ${name}`
  const wanted = [...models.filter(model => !Object.hasOwn(rename, model)), ...Object.values(rename)]
  const missing = wanted.filter(model => !model.endsWith('*') && !listed.includes(model))
  if (listed.length > 0 && missing.length > 0) {
    const remedy = `It lists ${listed.slice(0, 5).join(', ')}${listed.length > 5 ? ', …' : ''}.`
    return warning(about, `${baseUrl} answers in ${time}, but does not list ${missing.join(', ')}.`, remedy)
  }
  const count = listed.length === 0 ? '' : `, ${listed.length} ${listed.length === 1 ? 'model' : 'models'}`
  return ok(about, `${baseUrl} answers in ${time}${count}.`)
}
