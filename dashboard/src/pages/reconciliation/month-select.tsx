import { Select } from '@mantine/core'
import { useOperation } from '../../api/hooks.ts'
import { useUrlState } from '../../shell/place.ts'

/** The month of the page; without one the present one. */
export function useMonth(): string {
  const [{ month }] = useUrlState()
  return month !== undefined && /^\d{4}-(0[1-9]|1[0-2])$/.test(month) ? month : new Date().toISOString().slice(0, 7)
}

export function MonthSelect() {
  const month = useMonth()
  const [, change] = useUrlState()
  const months = useOperation('months.list', {})
  const listed = (months.data?.data ?? []).map(({ month: value, state }) => ({
    value,
    label: state === 'closed' ? `${value} · closed` : value,
  }))
  const data = listed.some(({ value }) => value === month) ? listed : [{ value: month, label: month }, ...listed]
  return (
    <Select
      aria-label="Month"
      size="xs"
      w={160}
      allowDeselect={false}
      value={month}
      data={data}
      onChange={(value) => change({ month: value, cell: null })}
    />
  )
}
