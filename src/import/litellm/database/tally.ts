import type { Finding } from '../../finding.ts'
import type { Remark } from './limits.ts'

const SHOWN = 5
/** Aliases may be as long as their author liked. */
const LONGEST_NAME = 64

/** Findings about many rows: the same remark is one finding that counts them, so that 50,000 keys are a page. */
export interface Tally {
  add(table: string, row: string, remark: Remark & { target?: string }): void
  findings(): Finding[]
}

interface Group {
  finding: Finding
  rows: string[]
  count: number
}

export function createTally(): Tally {
  const groups = new Map<string, Group>()
  return {
    add(table, row, { path, status, direction, message, target = null }) {
      const id = JSON.stringify([table, path, status, direction, message])
      const finding = { source: `database:${table}`, path, status, direction, target, message }
      const group = groups.get(id) ?? { finding, rows: [], count: 0 }
      groups.set(id, group)
      group.count++
      if (group.rows.length < SHOWN) group.rows.push(shortened(row))
    },
    findings: () => [...groups.values()].map(summary),
  }
}

function summary({ finding, rows, count }: Group): Finding {
  if (count === 1) {
    return { ...finding, source: `${finding.source}/${rows[0]}`, message: finding.message }
  }
  const names = rows.map((row) => `'${row}'`).join(', ')
  const others = count > rows.length ? `, and ${(count - rows.length).toLocaleString('en')} more` : ''
  return { ...finding, message: `${finding.message} (${count.toLocaleString('en')} rows: ${names}${others})` }
}

function shortened(name: string): string {
  return name.length <= LONGEST_NAME ? name : `${name.slice(0, LONGEST_NAME - 1)}…`
}
