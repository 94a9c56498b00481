import { Group, Radio } from '@mantine/core'
import { useOperation } from '../../api/hooks.ts'
import { ManagedBadge } from '../../components/status.tsx'

export interface StreamingFieldProps {
  /** Null: the gateway's default. */
  value: boolean | null
  onChange: (value: boolean | null) => void
  error: string | undefined
  /** It belongs to the configuration file. */
  isFixed?: boolean
}

/** Represents null among form values, which are texts. */
const DEFAULT = 'default'

export function StreamingField({ value, onChange, error, isFixed = false }: StreamingFieldProps) {
  const { data: status } = useOperation('status.get', {})
  const now = status === undefined ? '' : `, now ${status.streaming ? 'on' : 'off'}`
  return (
    <Radio.Group
      label={
        <Group gap="xs" display="inline-flex" mb={isFixed ? 6 : 0}>
          Streaming {isFixed && <ManagedBadge by="config" />}
        </Group>
      }
      description={`On: calls with stream: true are streamed. Off: they get 501. ${isFixed ? 'Change it in switchyard.yaml.' : 'The default is STREAMING in the environment of the gateway.'}`}
      value={value === null ? DEFAULT : String(value)}
      onChange={(chosen) => onChange(chosen === DEFAULT ? null : chosen === 'true')}
      error={error}
    >
      <Group gap="lg" mt={8}>
        <Radio value={DEFAULT} label={`Default${now}`} disabled={isFixed} />
        <Radio value="true" label="On" disabled={isFixed} />
        <Radio value="false" label="Off" disabled={isFixed} />
      </Group>
    </Radio.Group>
  )
}
