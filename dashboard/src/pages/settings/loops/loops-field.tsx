import { Box, Group, NumberInput, Select, SimpleGrid, Stack, Switch, Text } from '@mantine/core'
import type { ApiError } from '../../../api/client.ts'
import { problemAt } from '../../../api/problem.ts'
import { ManagedBadge } from '../../../components/status.tsx'
import {
  does,
  isWatched,
  isWithin,
  type LoopsForm,
  SIGNALS,
  type SignalForm,
  SLOW_SECONDS,
  STOP_MINUTES,
  type Threshold,
} from './loops-form.ts'

const ACTIONS = [
  { value: '', label: 'Don’t watch' },
  { value: 'alert', label: 'Alert' },
  { value: 'slow', label: 'Alert and slow down' },
  { value: 'stop', label: 'Alert and stop' },
]

export interface LoopsFieldProps {
  form: LoopsForm
  onChange: (form: LoopsForm) => void
  error: ApiError | null
  /** It belongs to the configuration file. */
  isFixed?: boolean
}

/** When sessions of agents count as loops, and what happens to them then. */
export function LoopsField({ form, onChange, error, isFixed = false }: LoopsFieldProps) {
  return (
    <Stack gap="sm">
      <Switch
        label={
          <Group gap="xs" display="inline-flex">
            Watch for loops {isFixed && <ManagedBadge by="config" />}
          </Group>
        }
        description={
          isFixed
            ? 'Change it in switchyard.yaml.'
            : 'Notices agents that repeat themselves. Keeps figures and hashes only, never content.'
        }
        checked={form.isOn}
        disabled={isFixed}
        onChange={(event) => onChange({ ...form, isOn: event.currentTarget.checked })}
      />
      {form.isOn && (
        <Stack gap="md" pl="md">
          {SIGNALS.map((fields) => (
            <SignalFields
              key={fields.signal}
              {...fields}
              form={form.signals[fields.signal]}
              onChange={(changed) => onChange({ ...form, signals: { ...form.signals, [fields.signal]: changed } })}
              error={error}
              isFixed={isFixed}
            />
          ))}
          {!isWatched(form) && (
            <Text size="xs" c="var(--bad)" role="alert">
              Choose at least one signal
            </Text>
          )}
          <Penalties form={form} onChange={onChange} error={error} isFixed={isFixed} />
        </Stack>
      )}
    </Stack>
  )
}

interface SignalFieldsProps {
  signal: string
  title: string
  description: string
  thresholds: readonly Threshold[]
  form: SignalForm
  onChange: (form: SignalForm) => void
  error: ApiError | null
  isFixed: boolean
}

function SignalFields({ signal, title, description, thresholds, form, onChange, error, isFixed }: SignalFieldsProps) {
  return (
    <Box role="group" aria-label={title}>
      <Text size="sm" fw={500}>
        {title}
      </Text>
      <Text size="xs" c="dimmed" mb={6}>
        {description}
      </Text>
      <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="xs">
        <Select
          label="Then"
          data={ACTIONS}
          value={form.action}
          allowDeselect={false}
          disabled={isFixed}
          onChange={(action) => onChange({ ...form, action: (action ?? '') as SignalForm['action'] })}
          comboboxProps={{ shadow: 'md' }}
        />
        {form.action !== '' &&
          thresholds.map((field) => (
            <ThresholdInput
              key={field.name}
              field={field}
              value={form.thresholds[field.name] ?? ''}
              onChange={(value) => onChange({ ...form, thresholds: { ...form.thresholds, [field.name]: value } })}
              error={problemAt(error, `loops.${signal}.${field.name}`)}
              isFixed={isFixed}
            />
          ))}
      </SimpleGrid>
    </Box>
  )
}

/** For how long a session is slowed down or stopped, where one may be. */
function Penalties({ form, onChange, error, isFixed = false }: LoopsFieldProps) {
  if (!does(form, 'slow') && !does(form, 'stop')) return null
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs">
      {does(form, 'slow') && (
        <ThresholdInput
          field={SLOW_SECONDS}
          value={form.slowSeconds}
          onChange={(slowSeconds) => onChange({ ...form, slowSeconds })}
          error={problemAt(error, 'loops.slow_seconds')}
          isFixed={isFixed}
        />
      )}
      {does(form, 'stop') && (
        <ThresholdInput
          field={STOP_MINUTES}
          value={form.stopMinutes}
          onChange={(stopMinutes) => onChange({ ...form, stopMinutes })}
          error={problemAt(error, 'loops.stop_minutes')}
          isFixed={isFixed}
        />
      )}
    </SimpleGrid>
  )
}

interface ThresholdInputProps {
  field: Threshold
  value: number | string
  onChange: (value: number | string) => void
  error: string | undefined
  isFixed: boolean
}

function ThresholdInput({ field, value, onChange, error, isFixed }: ThresholdInputProps) {
  const { label, min, max, isMoney = false } = field
  const range = `${min.toLocaleString('en')} to ${max.toLocaleString('en')}`
  return (
    <NumberInput
      label={label}
      {...(isMoney ? { leftSection: '$' } : {})}
      min={min}
      max={max}
      clampBehavior="none"
      allowDecimal={!Number.isInteger(min)}
      allowNegative={false}
      thousandSeparator=","
      hideControls
      disabled={isFixed}
      value={value}
      onChange={onChange}
      error={isWithin(field, value) ? error : range}
    />
  )
}
