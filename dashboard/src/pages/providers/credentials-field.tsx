import { Group, Input, PasswordInput, Stack } from '@mantine/core'
import { RemoveButton } from '../../components/forms/remove-button.tsx'
import type { CredentialDraft } from './provider-draft.ts'

export interface CredentialsFieldProps {
  /** As the family names them. */
  names: readonly string[]
  credentials: Readonly<Record<string, CredentialDraft>>
  onChange: (credentials: Record<string, CredentialDraft>) => void
  error: string | undefined
}

/** Secrets beside a key. They are written and never read. */
export function CredentialsField({ names, credentials, onChange, error }: CredentialsFieldProps) {
  const type = (name: string, typed: string) => onChange({ ...credentials, [name]: { typed } })
  return (
    <Input.Wrapper
      label="Credentials"
      labelElement="div"
      description="Other secrets. Stored encrypted and never shown again."
      error={error}
    >
      <Stack gap="xs" mt="xs">
        {names.map((name) => {
          const draft = credentials[name] ?? { typed: '' }
          return (
            <Group key={name} gap="xs" wrap="nowrap" align="flex-end">
              <PasswordInput
                flex={1}
                label={name}
                placeholder={draft === 'stored' ? 'stored; type to replace it' : ''}
                value={draft === 'stored' ? '' : draft.typed}
                onChange={(event) => type(name, event.currentTarget.value)}
                autoComplete="off"
                visibilityToggleButtonProps={{ 'aria-label': `Show what is typed as ${name}` }}
              />
              {draft === 'stored' && (
                <RemoveButton label={`Remove credential ${name}`} onClick={() => type(name, '')} />
              )}
            </Group>
          )
        })}
      </Stack>
    </Input.Wrapper>
  )
}
