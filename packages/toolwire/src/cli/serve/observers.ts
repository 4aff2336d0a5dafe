/** The observers of the exchanges: log, metrics, traces, and spans when enabled. */
import type { Settings } from '../../config/config.ts'
import { ConfigError } from '../../config/config-error.ts'
import type { GatewayOptions } from '../../gateway/settings.ts'
import { createLogger } from '../../telemetry/logger.ts'
import { createMetrics } from '../../telemetry/metrics.ts'
import type { FactsObserver } from '../../telemetry/observer.ts'
import { ObserverBatches } from '../../telemetry/observer-batches.ts'
import { KeptTraces, type TraceKeeper } from '../../telemetry/traces/kept-traces.ts'
import { createTraceRing } from '../../telemetry/traces/trace-ring.ts'
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
  /** Tells all that watch of what has ended so far. */
  flush(): void
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
  io: Io,
): Promise<Watchers> {
  const { trace, otel } = settings
  const metrics = createMetrics({ version, store, running: () => batches.running() })
  const logger = loggerFor(settings.log, io, peers)
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
  const batches = new ObserverBatches(all.filter(each => each !== undefined))
  const { flush } = batches
  const found = kept ?? traces?.inTurns
  const reader = found && batches.reading(found)
  const text = (): string => {
    flush()
    return metrics.text()
  }
  peers?.on('own-metrics', text)
  peers?.on('usage-rows', () => {
    flush()
    return usage?.rows() ?? []
  })
  const watching = {
    observer: batches,
    metrics: peers === undefined ? text : async () => String(await peers.askPrimary('metrics')),
    ...(reader !== undefined && { traces: peers === undefined ? reader : shareTraces(reader, peers) }),
    ...(usage !== undefined && { usage: batches.readingUsage(usage.read) }),
  }
  return {
    watching,
    flush,
    hide(changed) {
      for (const secret of secretsOf(changed)) secrets.add(secret)
      traces?.hide([...secrets])
    },
    async close() {
      batches.close()
      stopKeeping?.()
      await kept?.close()
    },
  }
}

function loggerFor(
  { format, level = 'info' }: Settings['log'],
  { stderr, env }: Io,
  peers: Peers | undefined,
): FactsObserver {
  // Several processes that write to one pipe at the same time must not write into each other's lines.
  const lines = createLineBuffer(text => stderr.write(text), peers && wholeWrite)
  return createLogger({
    write: line => (stderr.isTTY ? stderr.write(line) : lines.write(line)),
    flush: lines.flush,
    format: format ?? (stderr.isTTY ? 'pretty' : 'json'),
    level,
    colors: colorsFor(stderr, env),
    columns: () => widthOf(stderr),
    isHeaderless: peers?.isSpeaker === false,
  })
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
