import { Alert, Checkbox, Group, NumberInput, Radio, Stack, Switch, TextInput } from '@mantine/core'
import { Info } from 'lucide-react'
import type { ApiError } from '../../api/client.ts'
import { problemAt } from '../../api/problem.ts'
import { ManagedBadge } from '../../components/status.tsx'
import type { GuardrailForm } from './guardrail-form.ts'

export interface GuardrailFieldProps {
  form: GuardrailForm
  onChange: (form: GuardrailForm) => void
  error: ApiError | null
  /** It belongs to the configuration file. */
  isFixed?: boolean
}

export function GuardrailField({ form, onChange, error, isFixed = false }: GuardrailFieldProps) {
  const set = (more: Partial<GuardrailForm>) => onChange({ ...form, ...more })
  return (
    <Stack gap="sm">
      <Switch
        label={
          <Group gap="xs" display="inline-flex">
            Guardrail {isFixed && <ManagedBadge by="config" />}
          </Group>
        }
        description={
          isFixed
            ? 'Change it in switchyard.yaml.'
            : 'Sends prompts and answers to a service that allows, changes or blocks them.'
        }
        checked={form.isOn}
        disabled={isFixed}
        onChange={(event) => set({ isOn: event.currentTarget.checked })}
      />
      {form.isOn && (
        <Stack gap="sm" pl="md">
          <TextInput
            label="Address"
            description="Called by POST, signed. No redirects, no cloud metadata addresses."
            required
            autoComplete="off"
            disabled={isFixed}
            value={form.url}
            onChange={(event) => set({ url: event.currentTarget.value })}
            error={problemAt(error, 'guardrail.url')}
          />
          <Phases form={form} set={set} isFixed={isFixed} />
          <NumberInput
            label="Timeout"
            description="For each check"
            suffix=" ms"
            min={50}
            max={30_000}
            clampBehavior="none"
            allowDecimal={false}
            maw={200}
            disabled={isFixed}
            value={form.timeoutMs}
            onChange={(timeoutMs) => set({ timeoutMs })}
            error={problemAt(error, 'guardrail.timeout_ms')}
          />
          <Radio.Group
            label="If it doesn’t answer in time"
            value={form.onFailure}
            onChange={(chosen) => set({ onFailure: chosen === 'open' ? 'open' : 'closed' })}
          >
            <Group gap="lg" mt={8}>
              <Radio value="closed" label="Refuse the call with 503" disabled={isFixed} />
              <Radio value="open" label="Let it pass" disabled={isFixed} />
            </Group>
          </Radio.Group>
        </Stack>
      )}
    </Stack>
  )
}

interface PhasesProps {
  form: GuardrailForm
  set: (more: Partial<GuardrailForm>) => void
  isFixed: boolean
}

/** What is checked, and what that does to streams. */
function Phases({ form: { before, after }, set, isFixed }: PhasesProps) {
  const chosen = [...(before ? ['before'] : []), ...(after ? ['after'] : [])]
  return (
    <>
      <Checkbox.Group
        label="Checked"
        value={chosen}
        onChange={(now) => set({ before: now.includes('before'), after: now.includes('after') })}
        error={chosen.length === 0 ? 'Choose at least one' : undefined}
      >
        <Group gap="md" mt={8} mb={chosen.length === 0 ? 6 : 0}>
          <Checkbox value="before" label="Requests, before a provider is called" disabled={isFixed} />
          <Checkbox value="after" label="Answers, before the caller gets them" disabled={isFixed} />
        </Group>
      </Checkbox.Group>
      {after && (
        <Alert variant="light" color="blue" icon={<Info size={18} aria-hidden />}>
          Nothing streams while answers are checked: what was sent cannot be taken back. Calls with{' '}
          <span className="mono">stream: true</span> get 501, whatever is chosen under Streaming. The provider is paid
          for answers that are blocked.
        </Alert>
      )}
    </>
  )
}
