import { asPicodollars, exactUsd, picodollarsOfUsd } from '../../domain/pricing/price.ts'
import { isTimed } from '../../domain/pricing/unit-prices.ts'
import { adjustmentsText } from '../../domain/request/adjustment.ts'
import type { ReplyOf } from '../../management/contract/contract.ts'
import type { AnyInput } from '../api-client.ts'
import { type Given, type OptionSpec, type Refinement, text } from '../command.ts'
import { parseSince } from '../duration.ts'
import { printRows } from '../print-reply.ts'

export const SINCE: OptionSpec = {
  type: 'string',
  placeholder: 'WHEN',
  help: 'Since: 1h, 30d, or a date or time',
}

export function withSince(given: Given, input: AnyInput): AnyInput {
  const since = text(given, 'since')
  return since === undefined
    ? input
    : { ...input, query: { ...input.query, from: parseSince(since, 'since', Date.now()) } }
}

/** `--since`, and `--by` for `--group-by`. */
export function byGroup(values: readonly string[]): Pick<Refinement, 'options' | 'refine'> {
  return {
    options: { since: SINCE, by: { type: 'string', placeholder: 'GROUP', help: 'The same as --group-by', values } },
    refine(given, input) {
      const by = text(given, 'by')
      const since = withSince(given, input)
      return by === undefined ? since : { ...since, query: { ...since.query, group_by: by } }
    },
  }
}

const NODES = ['id', 'name', 'state', 'alive', 'lag_rows', 'leased_usd', 'seen_at', 'started_at', 'version']

/** A call is leased of its key and of its workspace: the larger sum is what the node has. */
function printNodes({ data }: ReplyOf<'nodes.list'>, { output }: Given): void {
  const sum = (leases: (typeof data)[number]['leases'], of: 'key' | 'workspace') =>
    leases.reduce((total, { scope, leased_usd: usd }) => total + (scope === of ? picodollarsOfUsd(usd) : 0n), 0n)
  const rows = data.map(({ leases, ...node }) => {
    const [keys, workspaces] = [sum(leases, 'key'), sum(leases, 'workspace')]
    return { ...node, leased_usd: exactUsd(asPicodollars(keys > workspaces ? keys : workspaces)) }
  })
  printRows(
    rows,
    output,
    rows.some(({ leased_usd: usd }) => usd !== '0') ? NODES : NODES.filter((name) => name !== 'leased_usd'),
  )
}

const LIST = [
  ...['started_at', 'id', 'route', 'provider', 'model', 'status', 'code', 'fallback', 'cost_usd', 'latency_ms'],
  ...['duration_ms', 'reason'],
]

/** The columns of sums. */
export function sumsRow({ latency_ms: latency, gateway_ms: gateway, ...sums }: ReplyOf<'usage.get'>['total']) {
  return {
    requests: sums.requests,
    errors: sums.errors,
    fallbacks: sums.fallbacks,
    prompt_tokens: sums.prompt_tokens,
    completion_tokens: sums.completion_tokens,
    cost_usd: sums.cost_usd,
    p50_ms: latency.p50,
    p95_ms: latency.p95,
    gateway_p95_ms: gateway.p95,
  }
}

function printUsage(reply: ReplyOf<'usage.get'>, { output }: Given): void {
  const rows = reply.data.map(({ start, group, name, is_rest: isRest, ...sums }) => ({
    ...(reply.interval !== null && { start }),
    ...(reply.group_by !== null && { [reply.group_by]: isRest ? '(all others)' : (name ?? group) }),
    ...sumsRow(sums),
    ...(usesText(reply.total.uses) !== '' && { uses: usesText(sums.uses) }),
    rest: isRest ? 1 : 0,
  }))
  // By time where there is one; otherwise what costs most first, and what is summed up last.
  if (reply.interval === null) rows.sort((a, b) => a.rest - b.rest || compareUsd(b, a) || b.requests - a.requests)
  printRows(
    rows.map(({ rest: _rest, ...row }) => row),
    output,
  )
  const { total } = reply
  const unpriced = total.unpriced_requests === 0 ? '' : `, without ${total.unpriced_requests} calls of unknown price`
  const saved = total.cache_hits === 0 ? '' : `, ${total.saved_usd} USD saved by ${total.cache_hits} cache hits`
  const period = `from ${minuteOf(reply.from)} to ${minuteOf(reply.to)}`
  output.line(
    `Total ${period}: ${total.requests} requests, ${total.errors} errors, ${total.cost_usd} USD${unpriced}${saved}`,
  )
  const uses = usesText(total.uses)
  if (uses !== '') output.line(`Other units: ${uses}`)
}

/** `3 image:1024x1024:high, 61.2 s audio_input` */
function usesText(uses: ReplyOf<'usage.get'>['total']['uses']): string {
  return Object.entries(uses)
    .map(([name, quantity]) => (isTimed(name) ? `${quantity / 1_000} s ${name}` : `${quantity} ${name}`))
    .join(', ')
}

export function compareUsd(one: { cost_usd: string }, other: { cost_usd: string }): number {
  const [a, b] = [picodollarsOfUsd(one.cost_usd), picodollarsOfUsd(other.cost_usd)]
  return a < b ? -1 : a > b ? 1 : 0
}

/** Periods begin and end at minutes; `2026-11-17 09:30Z`. */
export function minuteOf(time: string): string {
  return `${time.slice(0, 16).replace('T', ' ')}Z`
}

function printStatus({ providers, catalog, log, ...process }: ReplyOf<'status.get'>, { output }: Given): void {
  output.details({ ...process, log_lag_rows: log.lag_rows, log_last_error: log.last_error })
  output.line('')
  const rows = providers.map(({ name, configured, circuits, last_error: error, ...provider }) => ({
    provider: name,
    configured,
    models: catalog.find((list) => list.provider === name)?.models ?? null,
    calls_5m: provider.calls_5m,
    errors_5m: provider.errors_5m,
    last_success_at: provider.last_success_at,
    circuits: circuits.map(({ model, state }) => `${model} ${state}`),
    last_error: error === null ? null : `${error.at} ${error.code}: ${error.message}`,
  }))
  printRows(rows, output)
  for (const { provider, problem } of catalog) {
    if (problem !== null) output.note(`The model list of ${provider} could not be read: ${problem}`)
  }
}

function printWhatIf(reply: ReplyOf<'usage.what-if'>, { output }: Given): void {
  printRows(reply.data, output)
  const { total } = reply
  output.line(
    `Total: ${total.requests} requests, paid ${total.paid_usd} USD, would be ${total.what_if_usd} USD (${total.difference_usd})`,
  )
  for (const { provider, model, requests, missing, unit } of reply.unpriced) {
    const of = unit === null ? '' : ` of ${unit}`
    output.note(`${requests} calls of ${provider}/${model} cannot be priced: the price ${missing}${of} is unknown`)
  }
}

function printAdvice(reply: ReplyOf<'usage.advice'>, { output }: Given): void {
  const { data, requests, paid_usd: paid, left_out: leftOut } = reply
  printRows(
    data.map(({ saved_usd, kind, bound, sentence }) => ({ saved_usd, kind, bound, sentence })),
    output,
  )
  output.note(
    `Compared: ${requests} calls whose tokens cost ${paid} USD${leftOut === 0 ? '' : `; ${leftOut} left out`}`,
  )
}

/** Of the budgets that an agent has to fit, the tightest. */
function leastLeft(budgets: ReplyOf<'usage.session'>['budgets']): string | null {
  const left = budgets.map(({ remaining_usd: usd }) => usd)
  return left.reduce<string | null>(
    (least, usd) => (least === null || picodollarsOfUsd(usd) < picodollarsOfUsd(least) ? usd : least),
    null,
  )
}

/** A line for each agent, below the one that started it. */
function printSession(reply: ReplyOf<'usage.session'>, { output }: Given): void {
  const hasCuts = reply.agents.some(({ cut_streams: cut }) => cut > 0)
  const hasBudgets = reply.agents.some(({ budgets }) => budgets.length > 0)
  const rows = reply.agents.map(
    ({ agent, depth, kinds, models, with_children: { cost_usd: withChildren }, ...sums }) => ({
      agent: `${'· '.repeat(depth)}${agent ?? '(main)'}`,
      kinds,
      models,
      requests: sums.requests,
      running: sums.running,
      errors: sums.errors,
      prompt_tokens: sums.prompt_tokens,
      cached_tokens: sums.cached_tokens,
      completion_tokens: sums.completion_tokens,
      cache_saved_usd: sums.prompt_cache_saved_usd,
      cost_usd: sums.cost_usd,
      ...(hasCuts && { cut_streams: sums.cut_streams, cut_usd: sums.cut_usd }),
      with_children_usd: withChildren,
      ...(hasBudgets && { left_usd: leastLeft(sums.budgets) }),
    }),
  )
  printRows(rows, output)
  for (const { scope, key_id: keyId, per, mode, ...use } of reply.budgets) {
    const name = reply.keys.find(({ id }) => id === keyId)?.name ?? keyId
    const whose = `${mode} budget of the ${scope} for each session (${per}), key ${name}`
    output.line(`Left: ${use.remaining_usd} of ${use.limit_usd} USD, ${use.held_usd} held; ${whose}`)
  }
  output.line(`Total: ${reply.requests} requests, ${reply.cost_usd} USD; ${reply.running} running`)
  if (reply.is_cut) output.note('More agents than can be listed: only the costliest are added up')
}

export const logRefinements: Readonly<Record<string, Refinement>> = {
  'requests.list': {
    examples: [
      'switchyard requests list --since 1h --route fast',
      'switchyard requests list --status error --all --json',
      'switchyard requests list --sort slowest --since 1d',
      'switchyard requests list --session SESSION_ID',
      'switchyard requests list --status error --reason budget',
    ],
    options: { since: SINCE },
    refine: withSince,
    columns: LIST,
  },
  'requests.get': {
    aliases: ['requests show'],
    examples: ['switchyard requests get REQUEST_ID'],
    print({ attempts, usage, adjustments, ...request }: ReplyOf<'requests.get'>, { output }) {
      output.details({ ...request, adjusted: adjustmentsText(adjustments), ...usage })
      output.line('')
      printRows(attempts, output, [
        'kind',
        'provider',
        'model',
        'status',
        'code',
        'provider_code',
        'duration_ms',
        'reason',
      ])
    },
  },
  'requests.explain': {
    examples: ['switchyard requests explain REQUEST_ID'],
    print({ steps, cost_lines }: ReplyOf<'requests.explain'>, { output }) {
      for (const line of [...steps, '', ...cost_lines]) output.line(line)
    },
  },
  'requests.content': {
    examples: ['switchyard requests content REQUEST_ID', 'switchyard requests content REQUEST_ID --json'],
    print({ request, answer, redacted, ...rest }: ReplyOf<'requests.content'>, { output }) {
      output.details({ ...rest, redacted: Object.entries(redacted).map(([rule, count]) => `${rule} ${count}`) })
      for (const [title, body] of Object.entries({ request, answer })) {
        output.line('')
        output.line(body === null ? `no ${title}` : `${title}${body.truncated ? ', its beginning' : ''}:`)
        if (body !== null) output.line(body.is_json ? JSON.stringify(JSON.parse(body.text), null, 2) : body.text)
      }
    },
  },
  'requests.delete-content': { examples: ['switchyard requests delete-content REQUEST_ID'] },
  'requests.export': {
    examples: ['switchyard requests export --format csv --since 30d > requests.csv'],
    options: { since: SINCE },
    refine: withSince,
  },
  'requests.feed': { examples: ['switchyard requests feed', 'switchyard requests feed --after 17.250 --limit 10000'] },
  'nodes.list': {
    examples: ['switchyard nodes list', 'switchyard nodes list --json'],
    print: printNodes,
  },
  'nodes.forget': { examples: ['switchyard nodes forget NODE_ID'] },
  'status.get': {
    name: 'status',
    examples: ['switchyard status'],
    print: printStatus,
  },
  'usage.get': {
    name: 'usage',
    examples: [
      'switchyard usage --by model --since 30d',
      'switchyard usage --by session --since 7d',
      'switchyard usage --interval day --since 7d --json',
    ],
    ...byGroup([
      ...['model', 'route', 'key', 'provider', 'code', 'endpoint', 'user', 'session', 'agent', 'kind', 'project'],
    ]),
    print: printUsage,
  },
  'usage.session': {
    examples: ['switchyard usage session SESSION', 'switchyard usage session SESSION --key KEY --json'],
    options: { since: SINCE },
    refine: withSince,
    print: printSession,
  },
  'usage.focus': { name: 'export focus', examples: ['switchyard export focus --month 2026-11 > focus.csv'] },
  'usage.advice': {
    examples: ['switchyard usage advice --route fast', 'switchyard usage advice --key KEY --since 7d'],
    options: { since: SINCE },
    refine: withSince,
    print: printAdvice,
  },
  'usage.what-if': {
    examples: ['switchyard usage what-if --model local/llama3 --since 30d'],
    options: { since: SINCE },
    refine: withSince,
    print: printWhatIf,
  },
}
