import type { Registry } from 'prom-client'
import { Distribution, Tally } from './tally.ts'

export interface StreamMetrics {
  /** By provider and model. */
  firstContent: Distribution
  /** By provider and model. */
  streamRate: Distribution
  /** By provider and how they ended. */
  cutStreams: Tally
  openStreams: Tally
  /** By provider. */
  streamDrains: Tally
  /** By provider, model and source. */
  estimatedUsage: Tally
}

const FIRST_CONTENT_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300]
const TOKENS_PER_SECOND = [5, 10, 20, 40, 60, 80, 120, 160, 240, 400, 800]

export function streamMetrics(registry: Registry): StreamMetrics {
  const served = ['provider', 'model']
  return {
    firstContent: new Distribution({
      name: 'switchyard_first_content_seconds',
      help: 'Time from the start of a streamed call to its first content, failed attempts before it included.',
      labels: served,
      bounds: FIRST_CONTENT_SECONDS,
      registry,
    }),
    streamRate: new Distribution({
      name: 'switchyard_stream_tokens_per_second',
      help: 'Output tokens a second from the first content to the end, of streams that finished and were counted.',
      labels: served,
      bounds: TOKENS_PER_SECOND,
      registry,
    }),
    cutStreams: new Tally({
      name: 'switchyard_cut_streams_total',
      help: 'Streams that sent content and did not finish, by how they ended.',
      labels: ['provider', 'ended'],
      registry,
    }),
    openStreams: new Tally(
      { name: 'switchyard_open_streams', help: 'Streams that have sent content and have not ended.', registry },
      'gauge',
    ),
    streamDrains: new Tally({
      name: 'switchyard_stream_drains_total',
      help: 'Streams that were read on after their caller had left, because the provider bills them as a whole.',
      labels: ['provider'],
      registry,
    }),
    estimatedUsage: new Tally({
      name: 'switchyard_estimated_usage_total',
      help: 'Served calls whose tokens the provider did not count, or only in part, by source of the usage.',
      labels: [...served, 'source'],
      registry,
    }),
  }
}
