import { Button, Group, Input, PasswordInput, Text } from '@mantine/core'
import { KeyRound } from 'lucide-react'
import type { KeyDraft } from './provider-draft.ts'

export interface KeyFieldProps {
  value: KeyDraft
  onChange: (value: KeyDraft) => void
  hasStored: boolean
  error: string | undefined
}

/** A key is written and never read: what is stored shows only that it is there. */
export function KeyField({ value, onChange, hasStored, error }: KeyFieldProps) {
  if (value.kind === 'set') {
    return (
      <Group align="flex-end" gap="xs" wrap="nowrap">
        <PasswordInput
          flex={1}
          label={hasStored ? 'New API key' : 'API key'}
          description="Stored encrypted and never shown again."
          leftSection={<KeyRound size={15} aria-hidden />}
          value={value.value}
          onChange={(event) => onChange({ kind: 'set', value: event.currentTarget.value })}
          error={error}
          autoComplete="off"
          visibilityToggleButtonProps={{ 'aria-label': 'Show what is typed' }}
        />
        {hasStored && (
          <Button variant="subtle" onClick={() => onChange({ kind: 'keep' })}>
            Keep the old one
          </Button>
        )}
      </Group>
    )
  }
  return (
    <Input.Wrapper label="API key" labelElement="div" error={error}>
      <Group gap="xs" mt={4}>
        <Text size="sm" c={value.kind === 'keep' ? 'var(--text-strong)' : 'var(--bad)'}>
          {value.kind === 'keep' ? 'Set; it is not shown' : 'Will be removed'}
        </Text>
        <Button variant="default" size="compact-sm" onClick={() => onChange({ kind: 'set', value: '' })}>
          Replace
        </Button>
        <Button
          variant="subtle"
          size="compact-sm"
          color={value.kind === 'keep' ? 'red' : 'gray'}
          onClick={() => onChange({ kind: value.kind === 'keep' ? 'remove' : 'keep' })}
        >
          {value.kind === 'keep' ? 'Remove' : 'Keep it'}
        </Button>
      </Group>
    </Input.Wrapper>
  )
}
