import { Button, Group, Stack } from '@mantine/core'
import { Trash2 } from 'lucide-react'
import type { ApiError } from '../../api/client.ts'
import { AddButton } from '../../components/forms/add-button.tsx'
import classes from './registry.module.css'
import { EMPTY_UNIT, type UnitDraft } from './unit-draft.ts'
import { UnitFields } from './unit-fields.tsx'

export interface UnitsEditorProps {
  units: readonly UnitDraft[]
  onChange: (units: UnitDraft[]) => void
  error: ApiError | null
}

/** Prices of tools, images, time and other units. */
export function UnitsEditor({ units, onChange, error }: UnitsEditorProps) {
  const next = Math.max(-1, ...units.map(({ row }) => row)) + 1
  return (
    <Stack gap="sm">
      {units.map((draft, index) => (
        <Stack key={draft.row} className={classes['tier'] ?? ''} gap="sm">
          <UnitFields
            draft={draft}
            index={index}
            onChange={(part) => onChange(units.map((unit) => (unit === draft ? { ...unit, ...part } : unit)))}
            error={error}
          />
          <Group justify="flex-end">
            <Button
              variant="subtle"
              color="gray"
              size="xs"
              leftSection={<Trash2 size={14} aria-hidden />}
              onClick={() => onChange(units.filter((unit) => unit !== draft))}
            >
              Remove
            </Button>
          </Group>
        </Stack>
      ))}
      <AddButton onClick={() => onChange([...units, { row: next, ...EMPTY_UNIT }])}>Add a price per unit</AddButton>
    </Stack>
  )
}
