import { CloseButton, Group, Text } from '@mantine/core'
import classes from './performance.module.css'
import { type Filters, filterText } from './performance-view.ts'

/** What the page is narrowed to, and the way back. */
export function FilterChip({ filters, onClear }: { filters: Filters; onClear: () => void }) {
  const text = filterText(filters)
  if (text === '') return null
  return (
    <Group gap={6} className={classes['chip'] ?? ''}>
      <Text span size="sm">
        Only <b>{text}</b>
      </Text>
      <CloseButton size="sm" aria-label={`Show all, not only ${text}`} onClick={onClear} />
    </Group>
  )
}
