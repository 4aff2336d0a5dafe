/** The observers of the exchanges: log, metrics, traces, and spans when enabled. */
import type { Settings } from '../../config/config.ts'
import { ConfigError } from '../../config/config-error.ts'
import type { GatewayOptions } from '../../gateway/settings.ts'
import { combineObservers } from '../../telemetry/combine-observers.ts'
import { createRecordText } from '../../telemetry/exchange-record.ts'
import { createLogger } from '../../telemetry/logger.ts'
import { createMetrics } from '../../telemetry/metrics.ts'
import type { Observer } from '../../telemetry/observer.ts'
import { createTraceRing } from '../../telemetry/trace-ring.ts'
import { colorsFor } from '../../terminal/colors.ts'
import { type Io, widthOf } from '../../terminal/io.ts'
import { createLineBuffer } from './line-buffer.ts'
import type { UsageKeeping } from './usage.ts'

interface Watchers {
  readonly watching: Pick<GatewayOptions, 'observer' | 'metrics' | 'traces' | 'usage'>
  /** Keys of these settings too must not appear in traces. */
  hide(settings: Settings): void
  /** Writes the rest, after the last exchange. */
  close(): void
}

export async function watchersFor(
  settings: Settings,
  {
    version,
    store,
    observer,
    usage,
  }: {
    readonly version: string
    readonly store: string
    readonly observer?: Observer | undefined
    readonly usage?: UsageKeeping
  },
  { stderr, env }: Io,
): Promise<Watchers> {
  const { log, trace, otel } = settings
  const metrics = createMetrics({ version, store })
  const recordText = createRecordText()
  const lines = createLineBuffer(text => stderr.write(text))
  const logger = createLogger({
    // On a terminal each line is written at once.
    write: line => (stderr.isTTY ? stderr.write(line) : lines.write(line)),
    format: log.format ?? (stderr.isTTY ? 'pretty' : 'json'),
    level: log.level ?? 'info',
    colors: colorsFor(stderr, env),
    columns: () => widthOf(stderr),
    recordText,
  })
  let secrets = secretsOf(settings)
  const traces = trace === false ? undefined : createTraceRing({ ...trace, secrets, recordText })
  const spans = otel ? await loadSpans(version) : undefined
  const all = [usage?.pricing, logger, metrics.observer, traces, spans, usage?.observer, observer]
  const observers = all.filter(each => each !== undefined)
  const watching = {
    observer: combineObservers(...observers),
    metrics: () => metrics.text(),
    ...(traces !== undefined && { traces }),
    ...(usage !== undefined && { usage: usage.read }),
  }
  return {
    watching,
    hide(changed) {
      secrets = [...secrets, ...secretsOf(changed)]
      traces?.hide(secrets)
    },
    close: () => lines.close(),
  }
}

async function loadSpans(version: string): Promise<GatewayOptions['observer']> {
  const { createSpans } = await import('../../telemetry/spans.ts')
  return createSpans({ version }).catch(() => {
    throw new ConfigError([
      {
        message: '"otel" needs the package @opentelemetry/api, which is not installed.',
        remedy: 'Install it beside toolwire and your SDK: npm install @opentelemetry/api',
      },
    ])
  })
}

/** Keys that must not appear in a trace, even if an upstream repeats them. */
function secretsOf({ keys, operatorKeys, sealKeys, upstreams }: Settings): string[] {
  return [
    ...keys,
    ...operatorKeys,
    ...sealKeys,
    ...upstreams.flatMap(({ apiKey, headers = {} }) => [apiKey ?? [], Object.values(headers)].flat()),
  ]
}
