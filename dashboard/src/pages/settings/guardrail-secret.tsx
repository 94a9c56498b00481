import { Group, Text } from '@mantine/core'
import { KeyRound } from 'lucide-react'
import { useChange } from '../../api/hooks.ts'
import { CopyAction } from '../../components/copy.tsx'
import { DrawerSection } from '../../components/detail-drawer.tsx'
import { MayButton } from '../../components/may-button.tsx'
import classes from '../../components/secret-once.module.css'

/** What signs the questions to the guardrail of a workspace. Read when asked for, and kept nowhere. */
export function GuardrailSecret({ workspace }: { workspace: string }) {
  const read = useChange('workspaces.guardrail-secret')
  return (
    <DrawerSection title="Guardrail secret">
      <Text size="sm" c="dimmed">
        The guardrail uses it to verify that a request comes from this gateway (Standard Webhooks). It is derived from
        SECRETS_KEY and changes with it.
      </Text>
      {read.data === undefined ? (
        <MayButton
          to="workspaces.guardrail-secret"
          variant="default"
          size="xs"
          leftSection={<KeyRound size={14} aria-hidden />}
          loading={read.isPending}
          onClick={() => read.mutate({ params: { name: workspace } })}
        >
          Show the secret
        </MayButton>
      ) : (
        <Group className={classes['value'] ?? ''} wrap="nowrap" gap="sm" justify="space-between">
          <output className="mono" aria-label="Guardrail secret">
            {read.data.secret}
          </output>
          <CopyAction value={read.data.secret}>Copy</CopyAction>
        </Group>
      )}
      {read.error !== null && (
        <Text size="sm" c="var(--bad)" role="alert">
          {read.error.message}
        </Text>
      )}
    </DrawerSection>
  )
}
