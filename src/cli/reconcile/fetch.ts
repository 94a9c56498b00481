import { fetchPages } from '../../reconcile/fetch-pages.ts'
import { ReportProblem } from '../../reconcile/line.ts'
import { FETCH_PLANS, type FetchPlan } from '../../reconcile/sources/fetch-plans.ts'
import { CliError } from '../cli-error.ts'
import { type Command, type Given, text, texts, usageError } from '../command.ts'
import { readInput } from '../read-input.ts'

export const reconcileFetch: Command = {
  name: 'reconcile fetch',
  summary:
    "Fetch a month's usage and cost reports with an admin key of the vendor, which is not stored, and import them",
  positionals: [{ name: 'VENDOR', values: Object.keys(FETCH_PLANS) }],
  options: {
    month: { type: 'string', placeholder: 'YYYY-MM', help: 'Default: the present month' },
    provider: {
      type: 'string',
      placeholder: 'NAME',
      help: 'Provider of this gateway; default: the name of the vendor',
    },
    account: {
      type: 'string',
      multiple: true,
      placeholder: 'ID',
      help: 'Only this key, project or workspace of the vendor',
    },
    'vendor-key-file': {
      type: 'string',
      placeholder: 'FILE',
      help: 'File with the admin key; - for stdin; else its variable',
    },
    'base-url': { type: 'string', placeholder: 'URL', help: 'Where the vendor is; default: its own address' },
  },
  examples: Object.entries(FETCH_PLANS).map(([vendor]) => `switchyard reconcile fetch ${vendor} --month 2026-11`),
  isRemote: true,
  run,
}

async function run(given: Given): Promise<number> {
  const vendor = given.positionals[0] ?? ''
  const plan = FETCH_PLANS[vendor]
  if (plan === undefined) throw usageError(reconcileFetch, `VENDOR is one of ${Object.keys(FETCH_PLANS).join(', ')}`)
  const { month, from, to } = monthOf(given)
  const headers = plan.headers(await keyOf(given, plan))
  const fetching = { baseUrl: text(given, 'base-url') ?? plan.baseUrl, headers, fetch }
  const bySource = Map.groupBy(plan.pages(from, to), ({ source }) => source)
  const rows: Record<string, unknown>[] = []
  for (const [source, pages] of bySource) {
    const texts: string[] = []
    for (const each of pages) texts.push(await reported(() => fetchPages(each, fetching)))
    const joined = texts.filter((each) => each !== '').join('\n')
    rows.push({ source, ...(joined === '' ? { added: 0 } : await imported(given, { source, vendor, month, joined })) })
  }
  if (given.output.isJson) given.output.json({ data: rows })
  else for (const row of rows) given.output.details(row)
  return 0
}

/** The whole month, up to now: what comes later is fetched later. */
function monthOf(given: Given) {
  const now = Date.now()
  const month = text(given, 'month') ?? new Date(now).toISOString().slice(0, 7)
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(month)) throw usageError(reconcileFetch, `--month is YYYY-MM, not '${month}'`)
  const from = Date.parse(`${month}-01T00:00Z`)
  const to = Math.min(new Date(from).setUTCMonth(new Date(from).getUTCMonth() + 1), now)
  if (to <= from) throw usageError(reconcileFetch, `--month: ${month} has not begun`)
  return { month, from, to }
}

async function keyOf(given: Given, { variable }: FetchPlan): Promise<string> {
  const file = text(given, 'vendor-key-file')
  const key = (file === undefined ? given.environment[variable] : await readInput(file))?.trim()
  if (!key) throw usageError(reconcileFetch, `set ${variable}, or give --vendor-key-file FILE`)
  return key
}

/** A vendor's answer is never part of a message. */
async function reported<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ReportProblem) throw new CliError(`reconcile fetch: ${error.message}`, 1)
    throw new CliError('reconcile fetch: the vendor cannot be reached', 1)
  }
}

interface Fetched {
  source: string
  vendor: string
  month: string
  joined: string
}

async function imported(given: Given, { source, vendor, month, joined }: Fetched) {
  const provider = text(given, 'provider') ?? vendor
  const body = {
    source,
    provider,
    file_name: `fetched ${month}`,
    text: joined,
    accounts: texts(given, 'account'),
    replace: true,
  }
  try {
    const { added, unchanged, replaced } = await given.client.call('reports.import', { body })
    return { added, unchanged, replaced }
  } catch (error) {
    // A month without calls is no mistake.
    if (error instanceof CliError && /no lines of models/.test(error.message)) return { added: 0 }
    throw error
  }
}
