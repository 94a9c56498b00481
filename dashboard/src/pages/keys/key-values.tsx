import { Button, Text } from '@mantine/core'
import type { Item } from '../../api/client.ts'
import { useAll, useChange } from '../../api/hooks.ts'
import { Confirm } from '../../components/confirm.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { DrawerSection } from '../../components/detail-drawer.tsx'
import { Loaded } from '../../components/states.tsx'
import { tell } from '../../components/tell.ts'
import { Time } from '../../components/time.tsx'
import type { Key } from './key-list.ts'

type KeyValue = Item<'keys.values'>

const isWorking = ({ ends_at: at }: KeyValue) => at === null || Date.parse(at) > Date.now()

interface KeyValuesProps {
  of: Key
  /** Null where they cannot be changed. */
  onRevoke: ((value: KeyValue) => void) | null
}

/** The secrets of a key: which are in use, and which end when. */
export function KeyValues({ of: key, onRevoke }: KeyValuesProps) {
  const values = useAll('keys.values', { params: { id: key.id } })
  return (
    <DrawerSection title="Values">
      <Loaded query={values}>
        {(rows) => (
          <DataTable
            label={`Values of ${key.name}`}
            columns={columnsWith(rows.filter(isWorking).length > 1 ? onRevoke : null)}
            rows={rows}
            rowKey={({ id }) => id}
            dense
          />
        )}
      </Loaded>
    </DrawerSection>
  )
}

function columnsWith(onRevoke: KeyValuesProps['onRevoke']): Column<KeyValue>[] {
  const action: Column<KeyValue> = {
    name: 'revoke',
    title: 'Actions',
    figures: true,
    cell: (value) =>
      isWorking(value) && (
        <Button
          variant="default"
          size="compact-xs"
          c="var(--bad)"
          onClick={() => onRevoke?.(value)}
          aria-label={`Revoke the value ${value.prefix}`}
        >
          Revoke
        </Button>
      ),
  }
  return [
    { name: 'prefix', title: 'Begins with', cell: ({ prefix }) => <span className="mono">{prefix}…</span> },
    { name: 'created', title: 'Made', cell: ({ created_at: at }) => <Time at={at} relative /> },
    { name: 'last-used', title: 'Last use', cell: ({ last_used_at: at }) => <Moment at={at} otherwise="never" /> },
    { name: 'end', title: 'End', cell: (value) => <End of={value} /> },
    ...(onRevoke === null ? [] : [action]),
  ]
}

function End({ of: value }: { of: KeyValue }) {
  if (value.ends_at === null) return <Moment at={null} otherwise="none" />
  return (
    <span>
      {isWorking(value) ? 'ends ' : 'ended '}
      <Time at={value.ends_at} relative />
    </span>
  )
}

function Moment({ at, otherwise }: { at: string | null; otherwise: string }) {
  if (at !== null) return <Time at={at} relative />
  return (
    <Text span size="sm" c="dimmed">
      {otherwise}
    </Text>
  )
}

export function RevokeValue({ of: key, value, onClose }: { of: Key; value: KeyValue; onClose: () => void }) {
  const revoke = useChange('keys.revoke-value')
  function confirm() {
    const onSuccess = () => {
      tell(`Value ${value.prefix}… revoked`)
      onClose()
    }
    revoke.mutate({ params: { id: key.id, value_id: value.id } }, { onSuccess })
  }
  return (
    <Confirm
      isOpen
      onClose={onClose}
      title={`Revoke the value ${value.prefix}…?`}
      action="Revoke the value"
      isBusy={revoke.isPending}
      error={revoke.error}
      onConfirm={confirm}
    >
      {value.last_used_at === null ? (
        'It was never used. '
      ) : (
        <>
          It was last used{' '}
          <b>
            <Time at={value.last_used_at} relative />
          </b>
          .{' '}
        </>
      )}
      From the next call on it is refused with 401; the other values of {key.name} go on working. This cannot be undone.
    </Confirm>
  )
}
