import { Button, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { Time } from '../../components/time.tsx'
import { valueText } from '../../format/value.ts'
import { differencesOf, type FieldDifference } from './difference.ts'
import classes from './difference-table.module.css'

/** What an object was and what it became; fields that stayed are one press away. */
export function DifferenceTable({ before, after }: { before: unknown; after: unknown }) {
  const [isWhole, setWhole] = useState(false)
  const rows = differencesOf(before, after)
  const same = rows.filter(({ kind }) => kind === 'same')
  const isChange = isThere(before) && isThere(after)
  const shown = isChange && !isWhole ? rows.filter(({ kind }) => kind !== 'same') : rows.filter(isShown)
  if (rows.length === 0) return <Text size="sm">No fields recorded.</Text>
  return (
    <Stack gap="xs" align="flex-start">
      <table className={classes['table']}>
        <thead>
          <tr>
            <th scope="col">Field</th>
            {isThere(before) && <th scope="col">Before</th>}
            {isThere(after) && <th scope="col">After</th>}
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => (
            <Row key={`${row.field} ${row.kind}`} row={row} hasBefore={isThere(before)} hasAfter={isThere(after)} />
          ))}
        </tbody>
      </table>
      {isChange && same.length > 0 && (
        <Button variant="subtle" size="compact-xs" onClick={() => setWhole(!isWhole)} aria-expanded={isWhole}>
          {isWhole
            ? 'Only what changed'
            : `Also the ${same.length} ${same.length === 1 ? 'field' : 'fields'} that stayed`}
        </Button>
      )}
    </Stack>
  )

  function isShown(row: FieldDifference): boolean {
    return isChange || row.kind !== 'same' || row.before !== null
  }
}

function Row({ row, hasBefore, hasAfter }: { row: FieldDifference; hasBefore: boolean; hasAfter: boolean }) {
  const { field, kind, before, after } = row
  // Colours tell a difference; of what is wholly new or gone every field would be coloured alike.
  const isMarked = hasBefore && hasAfter && kind !== 'same'
  return (
    <tr>
      <th scope="row" className="mono">
        {field}
      </th>
      {hasBefore && (
        <td className={classes['before']} data-gone={(isMarked && before !== null) || undefined}>
          <Value field={field} value={before} />
        </td>
      )}
      {hasAfter && (
        <td className={classes['after']} data-new={(isMarked && after !== null) || undefined}>
          <Value field={field} value={after} />
        </td>
      )}
    </tr>
  )
}

function Value({ field, value }: { field: string; value: unknown }) {
  if (typeof value === 'string' && field.endsWith('_at') && !Number.isNaN(Date.parse(value))) return <Time at={value} />
  const text = valueText(value)
  return text === 'none' ? <span className={classes['none']}>none</span> : <span>{text}</span>
}

function isThere(value: unknown): boolean {
  return value !== null && value !== undefined
}
