import { CliError } from '../cli-error.ts'
import { type Command, type Given, text, usageError } from '../command.ts'
import { FEED_FORMATS, type FeedFormat } from './feed-format.ts'
import type { FedLine, FeedTarget } from './feed-target.ts'
import { folderTarget } from './folder-target.ts'
import { s3Target } from './s3-target.ts'
import { webhookTarget } from './webhook-target.ts'

const TARGETS: readonly [begins: RegExp, open: (to: string, format: FeedFormat, given: Given) => FeedTarget][] = [
  [/^s3:\/\//, (to, format, { environment }) => s3Target(to, format, environment)],
  [/^https?:\/\//, (to, format, given) => webhookTarget(to, cursorFile(format, given), given.environment)],
  [/^/, (to, format) => folderTarget(to, format)],
]

function cursorFile({ extension }: FeedFormat, given: Given): string {
  if (extension === 'parquet') fail('--format parquet is for files: a webhook gets each row as JSON')
  return text(given, 'cursor-file') ?? fail('a webhook needs --cursor-file FILE, which says how far it has come')
}

function fail(message: string): never {
  throw usageError(feed, message)
}

/** Padded, so that names sort as rows do. A batch is named by where it begins: after a kill the same name comes again. */
function nameOf(cursor: string | null): string {
  const [batch = '', rows = ''] = (cursor ?? '0.0').split('.')
  return `requests-${batch.padStart(15, '0')}.${rows.padStart(9, '0')}`
}

async function linesAfter({ client }: Given, after: string | null, limit: number): Promise<FedLine[]> {
  let whole = ''
  const query = { limit, ...(after !== null && { after }) }
  for await (const piece of await client.call('requests.feed', { query })) whole += piece
  return whole
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const { id, cursor } = JSON.parse(line) as FedLine
      return { id, cursor, text: line }
    })
}

export const feed: Command = {
  name: 'feed',
  summary: 'Deliver the rows of the request log that are new to a folder, an S3 bucket or a webhook',
  positionals: [],
  options: {
    to: { type: 'string', placeholder: 'TARGET', help: 'A folder, s3://BUCKET/PREFIX or https://…' },
    format: { type: 'string', placeholder: 'FORMAT', help: 'Of the files: ndjson (default) or parquet' },
    'cursor-file': { type: 'string', placeholder: 'FILE', help: 'For a webhook: where to keep how far it has come' },
  },
  examples: [
    'switchyard feed --to ./rows',
    'switchyard feed --to s3://billing/switchyard --format parquet',
    'switchyard feed --to https://billing.example/events --cursor-file ./feed-cursor',
  ],
  isRemote: true,
  async run(given) {
    const to = text(given, 'to') ?? fail('--to TARGET is missing')
    const [, open] = TARGETS.find(([begins]) => begins.test(to)) ?? fail('unknown target')
    const format = FEED_FORMATS.get(text(given, 'format') ?? 'ndjson') ?? fail('--format is ndjson or parquet')
    const target = open(to, format, given)
    let cursor = await target.cursor()
    if (cursor !== null && !/^\d+\.\d+$/.test(cursor)) throw new CliError(`the cursor of ${to} is unreadable`, 1)
    let rows = 0
    for (;;) {
      const lines = await linesAfter(given, cursor, target.rows)
      const last = lines.at(-1)
      if (last === undefined) break
      await target.write(nameOf(cursor), lines)
      await target.save(last.cursor)
      cursor = last.cursor
      rows += lines.length
    }
    if (given.output.isJson) given.output.json({ rows, cursor })
    else given.output.line(rows === 0 ? 'No new rows.' : `${rows} rows delivered.`)
    return 0
  },
}
