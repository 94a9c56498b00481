import { Button, Menu } from '@mantine/core'
import { Download } from 'lucide-react'
import { useWorkspace } from '../../shell/place.ts'
import { csvName, usageCsv } from './usage-csv.ts'
import type { Usage } from './usage-rows.ts'

/** The figures of the page as files for a spreadsheet, made here from the exact strings. */
export function CsvMenu({
  sums,
  overTime,
  isAll,
}: {
  sums: Usage | undefined
  overTime: Usage | undefined
  isAll: boolean
}) {
  const current = useWorkspace()
  const workspace = isAll ? 'all-workspaces' : current
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button
          variant="default"
          size="xs"
          leftSection={<Download size={14} aria-hidden />}
          disabled={sums === undefined}
        >
          CSV
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {sums !== undefined && (
          <Menu.Item onClick={() => save(csvName(workspace, sums), usageCsv(sums))}>Sums per {sums.group_by}</Menu.Item>
        )}
        {overTime !== undefined && (
          <Menu.Item onClick={() => save(csvName(workspace, overTime), usageCsv(overTime))}>
            Per {overTime.interval} and {overTime.group_by}
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}

function save(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/csv;charset=utf-8' }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // The browser has taken its copy by the next turn.
  setTimeout(() => URL.revokeObjectURL(address))
}
