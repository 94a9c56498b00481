import type { FedLine } from './feed-target.ts'

/** How a batch of rows becomes a file. */
export interface FeedFormat {
  /** Of the file's name. */
  extension: string
  bytesOf(lines: readonly FedLine[]): Promise<string | Uint8Array>
}

const ndjson: FeedFormat = {
  extension: 'ndjson',
  bytesOf: async (lines) => `${lines.map(({ text }) => text).join('\n')}\n`,
}

const parquet: FeedFormat = {
  extension: 'parquet',
  // Loaded by those who use it.
  bytesOf: async (lines) => (await import('./parquet.ts')).parquetOf(lines),
}

export const FEED_FORMATS: ReadonlyMap<string, FeedFormat> = new Map(
  [ndjson, parquet].map((each) => [each.extension, each]),
)
