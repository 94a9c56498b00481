import { Button, Divider, Group, Popover, Stack, TextInput, UnstyledButton } from '@mantine/core'
import { Calendar, Check } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import type { Search } from '../../shell/place.ts'
import { PERIODS } from './filters.ts'
import { fieldOf, momentOf, rangeText } from './range.ts'
import classes from './requests.module.css'

export interface PeriodMenuProps {
  search: Search
  onChange: (change: Record<string, string | null>) => void
}

/** When: back from now, or from one moment to another. */
export function PeriodMenu({ search, onChange }: PeriodMenuProps) {
  const [isOpen, setOpen] = useState(false)
  const { from = '', to = '' } = search
  const isRange = from !== '' || to !== ''
  const period = isRange ? undefined : PERIODS.find(({ name }) => name === search['period'])
  const title = isRange ? rangeText(from, to) : (period?.title ?? 'Any time')
  function apply(change: Record<string, string | null>) {
    onChange({ period: null, from: null, to: null, ...change })
    setOpen(false)
  }
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-start" width={290} shadow="md" trapFocus returnFocus>
      <Popover.Target>
        <Button
          variant="default"
          leftSection={<Calendar size={15} aria-hidden />}
          onClick={() => setOpen(!isOpen)}
          title="Time range of the list"
        >
          {title}
        </Button>
      </Popover.Target>
      <Popover.Dropdown p={4} aria-label="Time">
        <Choice title="Any time" isChosen={!isRange && period === undefined} onClick={() => apply({})} />
        {PERIODS.map(({ name, title: choice }) => (
          <Choice key={name} title={choice} isChosen={period?.name === name} onClick={() => apply({ period: name })} />
        ))}
        <Divider my={4} />
        <RangeForm key={`${from} ${to}`} from={from} to={to} onApply={apply} />
      </Popover.Dropdown>
    </Popover>
  )
}

function Choice({ title, isChosen, onClick }: { title: string; isChosen: boolean; onClick: () => void }) {
  return (
    <UnstyledButton className={classes['field'] ?? ''} onClick={onClick} aria-pressed={isChosen}>
      <Check size={15} aria-hidden opacity={isChosen ? 1 : 0} />
      {title}
    </UnstyledButton>
  )
}

interface RangeFormProps {
  from: string
  to: string
  onApply: (change: Record<string, string | null>) => void
}

function RangeForm({ from, to, onApply }: RangeFormProps) {
  const [start, setStart] = useState(fieldOf(from))
  const [end, setEnd] = useState(fieldOf(to))
  const isReversed = start !== '' && end !== '' && start >= end
  function submit(event: FormEvent) {
    event.preventDefault()
    if (!isReversed) onApply({ from: momentOf(start), to: momentOf(end) })
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="xs" p="xs" pt={4}>
        <TextInput
          type="datetime-local"
          step={1}
          label="From, in your time zone"
          value={start}
          onChange={(event) => setStart(event.currentTarget.value)}
        />
        <TextInput
          type="datetime-local"
          step={1}
          label="To"
          value={end}
          error={isReversed ? 'Must be after the start' : undefined}
          onChange={(event) => setEnd(event.currentTarget.value)}
        />
        <Group justify="flex-end">
          <Button type="submit" size="xs" disabled={(start === '' && end === '') || isReversed}>
            Show this range
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
