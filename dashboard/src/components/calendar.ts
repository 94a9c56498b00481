import type { DatePickerInputProps } from '@mantine/dates'
import { useId } from 'react'

type Shared = Pick<DatePickerInputProps, 'id' | 'hideOutsideDates' | 'weekendDays' | 'ariaLabels' | 'popoverProps'>

/** What every field with a calendar needs to be named for a screen reader, and readable. */
export function useCalendar(more: DatePickerInputProps['popoverProps'] = {}): Required<Shared> {
  const id = useId()
  return {
    // The dialog of the calendar takes its name from the element with this id.
    id,
    hideOutsideDates: true,
    weekendDays: [],
    ariaLabels: {
      previousMonth: 'Month before',
      nextMonth: 'Month after',
      previousYear: 'Year before',
      nextYear: 'Year after',
      previousDecade: 'Ten years before',
      nextDecade: 'Ten years after',
    },
    popoverProps: { position: 'bottom-end', portalProps: { target: '#content' }, ...more, id },
  }
}
