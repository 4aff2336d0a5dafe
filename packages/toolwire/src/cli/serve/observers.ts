/** The observers of the exchanges: log, metrics, traces, and spans when enabled. */
import type { Settings } from '../../config/config.ts'
import { ConfigError } from '../../config/config-error.ts'
import type { GatewayOptions } from '../../gateway/settings.ts'
import { combineObservers } from '../../telemetry/combine-observers.ts'
import { KeptTraces, type TraceKeeper } from '../../telemetry/kept-traces.ts'
import { createLogger } from '../../telemetry/logger.ts'
import { createMetrics } from '../../telemetry/metrics.ts'
import type { FactsObserver } from '../../telemetry/observer.ts'
import { createTraceRing } from '../../telemetry/trace-ring.ts'
import { colorsFor } from '../../terminal/colors.ts'
import { type Io, widthOf } from '../../terminal/io.ts'
import { type Peers, shareTraces } from '../cluster/peers.ts'
import type { Environment } from './environment.ts'
import { createLineBuffer } from './line-buffer.ts'
import { secretsOf } from './secrets.ts'
import type { UsageKeeping } from './usage.ts'

/** So many bytes a pipe takes as a whole. */
const wholeWrite = 4096

export interface Watchers {
  readonly watching: Pick<GatewayOptions, 'observer' | 'metrics' | 'traces' | 'usage'>
  /** Keys of these settings too must not appear in traces. */
  hide(settings: Settings): void
  /** Writes the rest, after the last exchange. */
  close(): Promise<void>
}

/** What a crash may lose. */
const keepMs = 500
const usualKeptBytes = 256 * 1024 * 1024

export async function watchersFor(
  settings: Settings,
  {
    version,
    store,
    observer,
    usage,
    keeper,
    every,
    peers,
  }: {
    readonly version: string
    readonly store: string
    readonly observer?: FactsObserver | undefined
    readonly usage?: UsageKeeping
    /** Where traces outlive the gateway. */
    readonly keeper?: TraceKeeper | undefined
    readonly every?: Environment['every']
    readonly peers?: Peers | undefined
  },
  { stderr, env }: Io,
): Promise<Watchers> {
  const { log, trace, otel } = settings
  const metrics = createMetrics({ version, store })
  // Several processes that write to one pipe at the same time must not write into each other's lines.
  const lines = createLineBuffer(text => stderr.write(text), peers && wholeWrite)
  const logger = createLogger({
    // On a terminal each line is written at once.
    write: line => (stderr.isTTY ? stderr.write(line) : lines.write(line)),
    format: log.format ?? (stderr.isTTY ? 'pretty' : 'json'),
    level: log.level ?? 'info',
    colors: colorsFor(stderr, env),
    columns: () => widthOf(stderr),
    isHeaderless: peers?.isSpeaker === false,
  })
  const secrets = new Set(secretsOf(settings))
  const traces = trace === false ? undefined : createTraceRing({ ...trace, secrets: [...secrets] })
  const { keptEntries = 0, keptBytes = usualKeptBytes } = trace === false ? {} : trace
  const kept =
    traces === undefined || keeper === undefined || keptEntries === 0
      ? undefined
      : new KeptTraces(traces, keeper, { entries: keptEntries, bytes: keptBytes })
  const stopKeeping = kept === undefined ? undefined : every?.(keepMs, () => void kept.flush())
  const spans = otel ? await loadSpans(version) : undefined
  const all = [usage?.pricing, logger, metrics.observer, traces, spans, usage?.observer, observer]
  const observers = all.filter(each => each !== undefined)
  const reader = kept ?? traces?.inTurns
  peers?.on('own-metrics', () => metrics.text())
  const watching = {
    observer: combineObservers(...observers),
    metrics:
      peers === undefined ? () => metrics.text() : async () => String(await peers.askPrimary('metrics')),
    ...(reader !== undefined && { traces: peers === undefined ? reader : shareTraces(reader, peers) }),
    ...(usage !== undefined && { usage: usage.read }),
  }
  return {
    watching,
    hide(changed) {
      for (const secret of secretsOf(changed)) secrets.add(secret)
      traces?.hide([...secrets])
    },
    async close() {
      stopKeeping?.()
      await kept?.close()
      lines.close()
    },
  }
}

async function loadSpans(version: string): Promise<FactsObserver> {
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
