import type { ReplyOf } from '../../management/contract/contract.ts'
import type { Given, Refinement } from '../command.ts'
import { printRows } from '../print-reply.ts'
import { byGroup, compareUsd, minuteOf, SINCE, sumsRow, withSince } from './log-refinements.ts'

function printPerformance(reply: ReplyOf<'performance.get'>, { output }: Given): void {
  const row = ({ requests, errors, codes, duration_ms: duration, first_content_ms: first }: typeof reply.total) => ({
    requests,
    errors,
    p50_ms: duration.p50,
    p95_ms: duration.p95,
    p99_ms: duration.p99,
    first_p50_ms: first.p50,
    first_p95_ms: first.p95,
    codes: codesText(codes),
  })
  printRows(
    reply.data.map(({ start, group, ...figures }) => ({
      ...(reply.interval !== null && { start }),
      ...(reply.group_by !== null && { [reply.group_by]: group }),
      ...row(figures),
    })),
    output,
  )
  const { requests, errors } = reply.total
  output.line(`Total ${periodOf(reply)}: ${requests} requests, ${errors} errors`)
}

function printProviders(reply: ReplyOf<'performance.providers'>, { output }: Given): void {
  printRows(
    reply.data.map(({ start, provider, codes, ...figures }) => ({
      ...(reply.interval !== null && { start }),
      provider,
      ...figures,
      failing: figures.attempts === 0 ? null : `${((100 * figures.failures) / figures.attempts).toFixed(1)} %`,
      codes: codesText(codes),
    })),
    output,
  )
  const { attempts, failures } = reply.total
  output.line(`Total ${periodOf(reply)}: ${attempts} attempts, ${failures} failures`)
}

function printWorkspaces(reply: ReplyOf<'usage.workspaces'>, { output }: Given): void {
  const { group_by: groupBy, interval } = reply
  const rows = reply.data.map(({ start, workspace, group, name, is_rest: isRest, ...sums }) => ({
    ...((groupBy === 'workspace' || workspace !== null) && { workspace }),
    ...(interval !== null && { start }),
    ...(groupBy !== 'workspace' && { [groupBy]: isRest ? '(all others)' : (name ?? group) }),
    ...sumsRow(sums),
  }))
  printRows(interval === null ? rows.sort((a, b) => compareUsd(b, a)) : rows, output)
  const { total } = reply
  output.line(`Total ${periodOf(reply)}: ${total.requests} requests, ${total.errors} errors, ${total.cost_usd} USD`)
}

/** The most frequent first. */
function codesText(codes: Readonly<Record<string, number>>): string[] {
  return Object.entries(codes)
    .sort(([, a], [, b]) => b - a)
    .map(([code, count]) => `${code} ${count}`)
}

function periodOf({ from, to }: { from: string; to: string }): string {
  return `from ${minuteOf(from)} to ${minuteOf(to)}`
}

export const performanceRefinements: Readonly<Record<string, Refinement>> = {
  'performance.get': {
    name: 'performance',
    examples: ['switchyard performance --by model --since 7d', 'switchyard performance --interval hour --since 1d'],
    ...byGroup(['model', 'provider', 'route']),
    print: printPerformance,
  },
  'performance.providers': {
    examples: ['switchyard performance providers --interval day --since 7d'],
    options: { since: SINCE },
    refine: withSince,
    print: printProviders,
  },
  'usage.workspaces': {
    examples: ['switchyard usage workspaces --since 30d', 'switchyard usage workspaces --by key --since 7d'],
    ...byGroup([
      'workspace',
      'model',
      'route',
      'key',
      'provider',
      'code',
      'endpoint',
      'user',
      'session',
      'agent',
      'kind',
      'project',
    ]),
    print: printWorkspaces,
  },
}
