import { CliError } from '../cli-error.ts'
import { type Command, type Given, text, usageError } from '../command.ts'
import type { FedLine, FeedTarget } from './feed-target.ts'
import { folderTarget } from './folder-target.ts'
import { s3Target } from './s3-target.ts'
import { webhookTarget } from './webhook-target.ts'

const TARGETS: readonly [begins: RegExp, open: (to: string, given: Given) => FeedTarget][] = [
  [/^s3:\/\//, (to, { environment }) => s3Target(to, environment)],
  [/^https?:\/\//, (to, given) => webhookTarget(to, cursorFile(given), given.environment)],
  [/^/, (to) => folderTarget(to)],
]

function cursorFile(given: Given): string {
  return text(given, 'cursor-file') ?? fail('a webhook needs --cursor-file FILE, which says how far it has come')
}

function fail(message: string): never {
  throw usageError(feed, message)
}

/** Padded, so that names sort as rows do. A batch is named by where it begins: after a kill the same name comes again. */
function nameOf(cursor: string | null): string {
  const [batch = '', rows = ''] = (cursor ?? '0.0').split('.')
  return `requests-${batch.padStart(15, '0')}.${rows.padStart(9, '0')}.ndjson`
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
    'cursor-file': { type: 'string', placeholder: 'FILE', help: 'For a webhook: where to keep how far it has come' },
  },
  examples: [
    'switchyard feed --to ./rows',
    'switchyard feed --to s3://billing/switchyard',
    'switchyard feed --to https://billing.example/events --cursor-file ./feed-cursor',
  ],
  isRemote: true,
  async run(given) {
    const to = text(given, 'to') ?? fail('--to TARGET is missing')
    const [, open] = TARGETS.find(([begins]) => begins.test(to)) ?? fail('unknown target')
    const target = open(to, given)
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
