import { picodollarsOfUsd } from '../../domain/pricing/price.ts'
import type { ReplyOf } from '../../management/contract/contract.ts'
import type { Given, Refinement } from '../command.ts'
import { printRows } from '../print-reply.ts'
import { programName } from '../program-name.ts'
import { SINCE, withSince } from './log-refinements.ts'

type Budget = ReplyOf<'budgets.list'>['data'][number]

const BAR_CELLS = 8n

/** `██████░░ 74 %`. Rounded down: a full bar means that nothing is left. */
function bar(used: bigint, limit: bigint): string {
  const percent = limit === 0n ? 100n : (used * 100n) / limit
  const filled = percent >= 100n ? BAR_CELLS : (percent * BAR_CELLS) / 100n
  return `${'█'.repeat(Number(filled))}${'░'.repeat(Number(BAR_CELLS - filled))} ${percent} %`
}

/** As the option `--budget` takes it. */
function budgetText({
  usd,
  per,
  mode,
  when_tight: tight,
  fit_at_least: floor,
  step_down_to: route,
}: NonNullable<Budget['limits']['budget']>) {
  const fit = tight === 'fit' ? `:fit${floor === undefined ? '' : `=${floor}`}` : ''
  const step = tight === 'step_down' ? `:step_down${route === undefined ? '' : `=${route}`}` : ''
  return `${usd}/${per}${mode === 'soft' ? ':soft' : `${fit}${step}`}`
}

/** `isOpen`: one of the rows has unconfirmed spend. */
function moneyCells({ limits: { budget }, periods }: Budget, isOpen: boolean) {
  const none = { budget: null, spent_usd: null, ...(isOpen && { unconfirmed_usd: null }) }
  if (budget === undefined) return { ...none, held_usd: null, left_usd: null, used: null }
  const { spent_usd: spent, unconfirmed_usd: unconfirmed, held_usd: held, remaining_usd: left } = periods[budget.per]
  const used = [spent, unconfirmed, held].reduce((sum, usd) => sum + picodollarsOfUsd(usd), 0n)
  return {
    budget: budgetText(budget),
    spent_usd: spent,
    ...(isOpen && { unconfirmed_usd: unconfirmed }),
    held_usd: held,
    left_usd: left,
    used: bar(used, picodollarsOfUsd(budget.usd)),
  }
}

function ofLimit(used: number, limit: number | undefined): string | null {
  return limit === undefined ? null : `${used}/${limit}`
}

/** Budgets for each session, user, …: the tightest values of each. */
function printValues(data: readonly Budget[], { output }: Pick<Given, 'output'>): void {
  const rows = data.flatMap(({ scope, name, workspace, values }) =>
    (values ?? []).flatMap(({ each, per, mode, live, tightest }): Record<string, unknown>[] => {
      const budget = { each: each ?? '(all)', per: mode === 'soft' ? `${per}:soft` : per }
      const owner = { workspace, key: scope === 'key' ? name : '(all keys)', ...budget, live }
      if (tightest.length === 0) return [owner]
      return tightest.map(({ value, session, key, ...use }) => ({
        ...owner,
        value: session === null ? (value ?? (each === 'key' ? key : null)) : `${session} / ${value}`,
        limit_usd: use.limit_usd,
        spent_usd: use.spent_usd,
        held_usd: use.held_usd,
        left_usd: use.remaining_usd,
      }))
    }),
  )
  if (rows.length === 0) return
  output.line('')
  output.line('The tightest values:')
  printRows(rows, output, ['workspace', 'key', 'each', 'per', 'live', 'value', ...USE])
}

const USE = ['limit_usd', 'spent_usd', 'held_usd', 'left_usd']

function printBudgets({ data, next_cursor: cursor }: ReplyOf<'budgets.list'>, { output }: Given): void {
  const isOpen = data.some(
    ({ limits: { budget }, periods }) => budget !== undefined && periods[budget.per].unconfirmed_usd !== '0',
  )
  const isLeased = data.some(({ leased_usd: leased }) => leased !== '0')
  const hasRange = data.some(({ forecast_low_usd: low }) => low !== null)
  const rows = data.map((each) => ({
    workspace: each.workspace,
    key: each.scope === 'key' ? each.name : '(all keys)',
    state: each.state,
    ...moneyCells(each, isOpen),
    forecast_usd: each.forecast_usd,
    ...(hasRange && {
      forecast_range: each.forecast_low_usd === null ? null : `${each.forecast_low_usd}–${each.forecast_high_usd}`,
    }),
    refused_24h: each.refused_last_day,
    resets_at: each.limits.budget === undefined ? null : each.periods[each.limits.budget.per].resets_at,
    rpm: ofLimit(each.requests_last_minute, each.limits.rpm),
    tpm: ofLimit(each.tokens_last_minute, each.limits.tpm),
    parallel: ofLimit(each.in_flight, each.limits.max_parallel),
    ...(isLeased && { leased_usd: each.leased_usd }),
  }))
  if (rows.length === 0) output.note(`Nothing has limits. Set one: ${programName()} keys update KEY --budget 50/month`)
  else printRows(rows, output)
  printValues(data, { output })
  if (cursor !== null) output.note(`More results: use --cursor ${cursor} or --all`)
}

type Verification = ReplyOf<'verify.ledger'>

function mergeVerifications(earlier: Verification, later: Verification): Verification {
  const rows = {
    checked: earlier.rows.checked + later.rows.checked,
    unpriced: earlier.rows.unpriced + later.rows.unpriced,
    hours: earlier.rows.hours + later.rows.hours,
    differences: [...earlier.rows.differences, ...later.rows.differences],
  }
  return { ...earlier, rows, next_cursor: later.next_cursor }
}

function printVerification({ checked, busy, differences, rows }: Verification, { output }: Given): void {
  if (busy > 0) output.note(`${busy} were in use all the time: their spent money was checked between two readings`)
  if (differences.length === 0)
    output.line(`${output.good('✓')} ${checked} keys and workspaces add up to the request log`)
  else {
    const cells = differences.map(({ scope, id, name, workspace, ...rest }) => ({
      scope,
      id,
      name,
      workspace,
      ...rest,
    }))
    printRows(cells, output)
    output.line(`${output.bad('✗')} ${differences.length} differences in ${checked} keys and workspaces`)
  }
  if (rows.unpriced > 0) output.note(`${rows.unpriced} rows were not checked: their price version is gone`)
  if (rows.differences.length === 0) {
    const sums = `the sums of ${rows.hours} hours add up to them`
    output.line(`${output.good('✓')} ${rows.checked - rows.unpriced} rows cost what their prices say; ${sums}`)
    return
  }
  const cells = rows.differences.map(({ id, at, ...rest }) => ({ request: id ?? `sum of ${at}`, ...rest }))
  printRows(cells, output)
  output.line(
    `${output.bad('✗')} ${rows.differences.length} differences in ${rows.checked} rows and ${rows.hours} hours`,
  )
}

export const budgetRefinements: Readonly<Record<string, Refinement>> = {
  'budgets.list': {
    name: 'budgets',
    examples: ['switchyard budgets', 'switchyard budgets --workspace research --json'],
    omit: ['values'],
    refine: (_given, input) => ({ ...input, query: { ...input.query, values: 'true' } }),
    print: printBudgets,
  },
  'corrections.list': {
    examples: ['switchyard corrections list', 'switchyard corrections list --workspace research --from 2026-11-01'],
    columns: ['created_at', 'kind', 'request_id', 'workspace', 'cost_usd', 'counted_usd', 'actor', 'reason', 'source'],
  },
  'corrections.create': {
    examples: [
      'switchyard corrections create --kind released --request-ids REQUEST_ID --reason "not on the invoice"',
      'switchyard corrections create --kind confirmed --request-ids REQUEST_ID --usd 0.0042 --reason "invoice of May"',
    ],
  },
  'raises.list': {
    examples: ['switchyard raises list', 'switchyard raises list --active true'],
    columns: ['id', 'workspace', 'each', 'value', 'usd', 'until', 'is_active', 'actor', 'reason'],
  },
  'raises.create': {
    examples: [
      'switchyard raises create --key KEY_ID --each session --value nightly --usd 5 --minutes 60 --reason "finish the run"',
      'switchyard raises create --usd 100 --minutes 1440 --reason "launch day"',
    ],
  },
  'verify.ledger': {
    name: 'verify',
    examples: ['switchyard verify', 'switchyard verify --since 30d', 'switchyard verify --json'],
    options: { since: SINCE },
    omit: ['from', 'cursor', 'all'],
    refine: withSince,
    merge: {
      pages: mergeVerifications,
      progress: ({ rows }: Verification) => `${rows.checked.toLocaleString('en')} rows checked`,
    },
    print: printVerification,
    exitCode: ({ differences, rows }: Verification) => (differences.length + rows.differences.length === 0 ? 0 : 1),
  },
}
