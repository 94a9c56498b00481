import { Button, Group, SegmentedControl, Stack, Text } from '@mantine/core'
import { ArrowLeft } from 'lucide-react'
import { useState } from 'react'
import type { ApiError } from '../../api/client.ts'
import { Confirm } from '../../components/confirm.tsx'
import { SearchField } from '../../components/search-field.tsx'
import { count } from '../../format/number.ts'
import classes from './import.module.css'
import type { ImportReport } from './import-rows.tsx'
import { AddedRows, ChangedRows, SkippedRows } from './import-rows.tsx'

export interface ImportPreviewProps {
  report: ImportReport
  onBack: () => void
  onApply: () => void
  /** A question stands above the dialog. */
  onCover: (isCovered: boolean) => void
  isBusy: boolean
  error: ApiError | null
}

type Part = 'changed' | 'added' | 'skipped'

/** What the list would change, before it does. */
export function ImportPreview({ report, onBack, onApply, onCover, isBusy, error }: ImportPreviewProps) {
  const [part, setPart] = useState<Part>(
    report.changed.length > 0 ? 'changed' : report.added.length > 0 ? 'added' : 'skipped',
  )
  const [search, setSearch] = useState('')
  const [isAsking, setAsking] = useState(false)
  const models = report.changed.length + report.added.length
  const ask = (isOpen: boolean) => {
    setAsking(isOpen)
    onCover(isOpen)
  }
  return (
    <Stack>
      <Counts report={report} />
      {models === 0 && <Text size="sm">The registry already matches. There’s nothing to apply.</Text>}
      <Group gap="sm">
        <SegmentedControl
          aria-label="Which part"
          data={partsOf(report)}
          value={part}
          onChange={(value) => setPart(value as Part)}
        />
        <SearchField label="Find a model" value={search} onSearch={setSearch} flex={1} miw={160} />
      </Group>
      {part === 'changed' && <ChangedRows changed={report.changed} search={search} />}
      {part === 'added' && <AddedRows added={report.added} search={search} />}
      {part === 'skipped' && <SkippedRows skipped={report.skipped} search={search} />}
      <Group justify="space-between">
        <Button variant="default" leftSection={<ArrowLeft size={15} aria-hidden />} onClick={onBack}>
          Another list
        </Button>
        <Button disabled={models === 0} onClick={() => ask(true)}>
          Apply to {count(models)} {models === 1 ? 'model' : 'models'}
        </Button>
      </Group>
      <Confirm
        isOpen={isAsking}
        onClose={() => ask(false)}
        title="Apply this price list?"
        action="Apply"
        isBusy={isBusy}
        error={error}
        onConfirm={onApply}
      >
        {countText(report.changed.length, 'model changes', 'models change')} and{' '}
        {countText(report.added.length, 'is added', 'are added')}, all at once. Calls that begin afterwards are priced
        with the new prices; calls already made keep their cost.
      </Confirm>
    </Stack>
  )
}

function countText(value: number, one: string, many: string): string {
  return `${count(value)} ${value === 1 ? one : many}`
}

function partsOf(report: ImportReport): { value: Part; label: string }[] {
  const skipped = report.skipped.reduce((sum, row) => sum + row.count, 0)
  return [
    { value: 'changed', label: `Changed ${count(report.changed.length)}` },
    { value: 'added', label: `Added ${count(report.added.length)}` },
    { value: 'skipped', label: `Skipped ${count(skipped)}` },
  ]
}

export function Counts({ report }: { report: ImportReport }) {
  const skipped = report.skipped.reduce((sum, row) => sum + row.count, 0)
  const figures = [
    ['Changed', report.changed.length],
    ['Added', report.added.length],
    ['As they are', report.unchanged],
    ['Skipped', skipped],
  ] as const
  return (
    <dl className={classes['counts']}>
      {figures.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{count(value)}</dd>
        </div>
      ))}
    </dl>
  )
}
