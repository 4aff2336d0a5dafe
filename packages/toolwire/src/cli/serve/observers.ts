/** Who watches the exchanges: the log, the metrics, the traces, and spans where they are wanted. */
import type { Settings } from '../../config/settings.ts'
import type { GatewayOptions } from '../../gateway/settings.ts'
import { combineObservers } from '../../telemetry/combine-observers.ts'
import { createLogger } from '../../telemetry/logger.ts'
import { createMetrics } from '../../telemetry/metrics.ts'
import { createTraceRing } from '../../telemetry/trace-ring.ts'
import { colorsFor } from '../colors.ts'
import { type Io, widthOf } from '../io.ts'

type Watching = Pick<GatewayOptions, 'observer' | 'metrics' | 'traces'>

export async function watchersFor(
  settings: Settings,
  { version, store }: { readonly version: string; readonly store: string },
  { stderr, env }: Io,
): Promise<Watching> {
  const { log, trace, otel } = settings
  const metrics = createMetrics({ version, store })
  const logger = createLogger({
    write: line => stderr.write(line),
    format: log.format ?? (stderr.isTTY ? 'pretty' : 'json'),
    level: log.level ?? 'info',
    colors: colorsFor(stderr, env),
    columns: () => widthOf(stderr),
  })
  const traces = trace === false ? undefined : createTraceRing({ ...trace, secrets: secretsOf(settings) })
  const spans = otel ? await loadSpans(version) : undefined
  const observers = [logger, metrics.observer, traces, spans].filter(observer => observer !== undefined)
  return {
    observer: combineObservers(...observers),
    metrics: () => metrics.text(),
    ...(traces !== undefined && { traces }),
  }
}

async function loadSpans(version: string): Promise<GatewayOptions['observer']> {
  const { createSpans } = await import('../../telemetry/spans.ts')
  return createSpans({ version })
}

/** Keys that must not be seen in a trace even where an upstream repeats them. */
function secretsOf({ keys, upstreams }: Settings): string[] {
  return [
    ...keys,
    ...upstreams.flatMap(({ apiKey, headers = {} }) => [apiKey ?? [], Object.values(headers)].flat()),
  ]
}
