import type { Finding, Status } from './finding.ts'

const STATUSES: readonly Status[] = ['unsupported', 'manual', 'approximate', 'exact']
const TITLES: Readonly<Record<Status, string>> = {
  unsupported: 'Unsupported: has no counterpart',
  manual: 'Manual: needs you',
  approximate: 'Approximate: works a little differently',
  exact: 'Exact',
}

/** Longer paths are not padded for. */
const WIDEST_PATH = 48

/** The findings as text, what needs attention first. */
export function reportLines(findings: readonly Finding[]): string[] {
  const width = (values: readonly string[], most: number) =>
    Math.max(0, ...values.map(({ length }) => length).filter((length) => length <= most))
  const source = width(
    findings.map((each) => each.source),
    WIDEST_PATH,
  )
  const path = width(
    findings.map((each) => each.path),
    WIDEST_PATH,
  )
  return STATUSES.flatMap((status) => {
    const of = findings.filter((finding) => finding.status === status)
    if (of.length === 0) return []
    const lines = of.map((each) => `  ${each.source.padEnd(source)}  ${each.path.padEnd(path)}  ${outcomeOf(each)}`)
    return [`${TITLES[status]} (${of.length})`, ...lines.map((line) => line.trimEnd()), '']
  }).concat(summaryOf(findings))
}

function outcomeOf({ direction, target, message }: Finding): string {
  const parts = [target === null ? '' : `→ ${target}`, message].filter((part) => part !== '')
  return `${direction === 'looser' ? 'LOOSER: ' : ''}${parts.join('; ')}`
}

/** `58 exact, 6 approximate, 3 manual, 2 unsupported; nothing looser` */
export function summaryOf(findings: readonly Finding[]): string {
  const count = (status: Status) => findings.filter((finding) => finding.status === status).length
  const looser = looserOf(findings).length
  const counts = STATUSES.toReversed().map((status) => `${count(status)} ${status}`)
  return `${counts.join(', ')}; ${looser === 0 ? 'nothing' : looser} looser`
}

export function looserOf(findings: readonly Finding[]): Finding[] {
  return findings.filter(({ direction }) => direction === 'looser')
}

/** Nothing is left to do, and nothing is looser than before. */
export function isClean(findings: readonly Finding[]): boolean {
  return findings.every(
    ({ status, direction }) => direction !== 'looser' && (status === 'exact' || status === 'approximate'),
  )
}
