import { Button, Menu } from '@mantine/core'
import { Download } from 'lucide-react'
import { addressOf } from '../../api/client.ts'
import type { RequestsQuery } from './filters.ts'

/** Everything that the filters match, not only what is on the page: the gateway writes it while it is being read. */
export function ExportMenu({ query }: { query: RequestsQuery }) {
  const href = (format: 'csv' | 'ndjson') => addressOf('requests.export', { query: { ...query, format } })
  return (
    <Menu position="bottom-end" shadow="md" width={250}>
      <Menu.Target>
        <Button variant="default" leftSection={<Download size={15} aria-hidden />}>
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>All requests that match the filters</Menu.Label>
        <Menu.Item component="a" href={href('csv')} download="requests.csv">
          CSV, for spreadsheets
        </Menu.Item>
        <Menu.Item component="a" href={href('ndjson')} download="requests.ndjson">
          NDJSON, one object a line
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
