import { Button, Group, NumberInput, Stack } from '@mantine/core'
import { Trash2 } from 'lucide-react'
import type { ApiError } from '../../api/client.ts'
import { AddButton } from '../../components/forms/add-button.tsx'
import { NO_PRICES, type TierDraft } from './model-draft.ts'
import { PriceFields } from './price-fields.tsx'
import classes from './registry.module.css'

export interface TiersEditorProps {
  tiers: readonly TierDraft[]
  onChange: (tiers: TierDraft[]) => void
  error: ApiError | null
}

/** Prices of the whole request once its prompt is longer. */
export function TiersEditor({ tiers, onChange, error }: TiersEditorProps) {
  const set = (row: number, part: Partial<TierDraft>) =>
    onChange(tiers.map((tier) => (tier.row === row ? { ...tier, ...part } : tier)))
  const next = Math.max(-1, ...tiers.map(({ row }) => row)) + 1
  return (
    <Stack gap="sm">
      {tiers.map((tier, index) => (
        <Stack key={tier.row} className={classes['tier'] ?? ''} gap="sm">
          <Group justify="space-between" align="flex-end">
            <NumberInput
              label="Prompts longer than"
              suffix=" tokens"
              thousandSeparator=","
              allowDecimal={false}
              min={1}
              value={tier.above}
              onChange={(value) => set(tier.row, { above: value === '' ? '' : Number(value) })}
              required
            />
            <Button
              variant="subtle"
              color="gray"
              size="xs"
              leftSection={<Trash2 size={14} aria-hidden />}
              onClick={() => onChange(tiers.filter(({ row }) => row !== tier.row))}
            >
              Remove
            </Button>
          </Group>
          <PriceFields
            prices={tier}
            onChange={(change) => set(tier.row, change)}
            place={`tiers[${index}].`}
            suffix={`of long prompts, ${index + 1}`}
            error={error}
          />
        </Stack>
      ))}
      <AddButton onClick={() => onChange([...tiers, { row: next, above: '', ...NO_PRICES }])}>
        Add prices for longer prompts
      </AddButton>
    </Stack>
  )
}
