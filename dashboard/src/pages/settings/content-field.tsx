import { Checkbox, Group, NumberInput, Stack, Switch, Textarea } from '@mantine/core'
import { ManagedBadge } from '../../components/status.tsx'
import { type ContentForm, REDACTIONS, type Redaction } from './content-form.ts'

export interface ContentFieldProps {
  form: ContentForm
  onChange: (form: ContentForm) => void
  error: string | undefined
  /** It belongs to the configuration file. */
  isFixed?: boolean
}

export function ContentField({ form, onChange, error, isFixed = false }: ContentFieldProps) {
  return (
    <Stack gap="sm">
      <Switch
        label={
          <Group gap="xs" display="inline-flex">
            Store prompts and answers {isFixed && <ManagedBadge by="config" />}
          </Group>
        }
        description={
          isFixed
            ? 'Change it in switchyard.yaml.'
            : 'Encrypted, for a limited time, readable by admins only; every view is recorded in the audit log. Off: never written to disk.'
        }
        checked={form.isOn}
        disabled={isFixed}
        error={error}
        onChange={(event) => onChange({ ...form, isOn: event.currentTarget.checked })}
      />
      {form.isOn && (
        <Stack gap="sm" pl="md">
          <NumberInput
            label="Days until it is deleted"
            min={1}
            max={365}
            maw={200}
            disabled={isFixed}
            value={form.days}
            onChange={(days) => onChange({ ...form, days })}
          />
          <Checkbox.Group
            label="Redacted before anything is written"
            value={form.redact}
            onChange={(redact) => onChange({ ...form, redact: redact as Redaction[] })}
          >
            <Group gap="md" mt={8}>
              {REDACTIONS.map(({ value, label }) => (
                <Checkbox key={value} value={value} label={label} disabled={isFixed} />
              ))}
            </Group>
          </Checkbox.Group>
          <Textarea
            label="Further patterns"
            description="One per line: a name, a colon and an RE2 pattern, such as ticket: TICKET-[0-9]+"
            autosize
            minRows={2}
            maxRows={8}
            disabled={isFixed}
            value={form.patterns}
            onChange={(event) => onChange({ ...form, patterns: event.currentTarget.value })}
          />
        </Stack>
      )}
    </Stack>
  )
}
