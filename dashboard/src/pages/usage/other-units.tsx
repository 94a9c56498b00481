import { useMemo } from 'react'
import { groupKey } from '../../charts/usage-groups.ts'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Panel } from '../../components/panel.tsx'
import { count } from '../../format/number.ts'
import { isTimed, nameOfUse } from '../../format/units.ts'
import { linesOf, type Usage } from './usage-rows.ts'

interface UnitLine {
  key: string
  unit: string
  group: string
  used: number
}

const COLUMNS: Column<UnitLine>[] = [
  { name: 'unit', title: 'Unit', cell: ({ unit }) => nameOfUse(unit) },
  { name: 'group', title: 'Used by', cell: ({ group }) => group },
  { name: 'used', title: 'Used', cell: ({ unit, used }) => usedText(unit, used), figures: true },
]
/** The most used of each unit come first. */
const SHOWN = 50

/** Images, audio, characters and whatever else is not counted in tokens; nothing where there are none. */
export function OtherUnits({ usage }: { usage: Usage | undefined }) {
  const lines = useMemo(() => (usage === undefined ? [] : unitLines(usage)), [usage])
  if (lines.length === 0) return null
  return (
    <Panel title="Other units" description="What providers bill beside tokens" flush>
      <DataTable label="Other units" columns={COLUMNS} rows={lines.slice(0, SHOWN)} rowKey={({ key }) => key} dense />
    </Panel>
  )
}

export function unitLines(usage: Usage): UnitLine[] {
  const lines = linesOf(usage).flatMap((line) =>
    Object.entries(line.uses).map(([unit, used]) => ({
      key: `${unit} ${groupKey(line)}`,
      ...{ unit, used, group: line.name },
    })),
  )
  return lines.sort((a, b) => a.unit.localeCompare(b.unit) || b.used - a.used)
}

/** Audio in minutes and seconds: `61 min 2.5 s`. */
export function usedText(unit: string, used: number): string {
  if (!isTimed(unit)) return count(used)
  const [minutes, seconds] = [Math.floor(used / 60_000), Math.round((used % 60_000) / 100) / 10]
  return minutes === 0 ? `${seconds} s` : `${count(minutes)} min ${seconds} s`
}
