import { Button, Group, Stack, Text } from '@mantine/core'
import { Plus } from 'lucide-react'
import { useState } from 'react'

import { useChange, useOperation } from '../../api/hooks.ts'
import { Confirm } from '../../components/confirm.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { KeyStateBadge } from '../../components/key-state-badge.tsx'
import { BudgetBar } from '../../components/limits/budget-bar.tsx'
import { Money } from '../../components/money.tsx'
import { Page } from '../../components/page.tsx'
import { Panel } from '../../components/panel.tsx'
import { Loaded } from '../../components/states.tsx'
import { tell } from '../../components/tell.ts'
import { Time } from '../../components/time.tsx'
import { works } from '../../format/key-state.ts'
import { CreateMyKey } from './create-my-key.tsx'
import type { MyKey } from './my-key.ts'
import { RotateMyKey } from './rotate-my-key.tsx'

type Doing = { what: 'create' } | { what: 'rotate' | 'revoke'; key: MyKey } | null

const REFRESH_MS = 30_000

/** Keys that people make for themselves, within what an admin allows. */
export function MyKeysPage() {
  const keys = useOperation('my-keys.list', {}, { refetchEvery: REFRESH_MS })
  const templates = useOperation('my-keys.templates', {})
  const [doing, setDoing] = useState<Doing>(null)
  const close = () => setDoing(null)
  const isOffered = (templates.data?.data.length ?? 0) > 0
  return (
    <Page
      title="My keys"
      description="Keys of your own, for your programs and agents."
      actions={
        <Button
          leftSection={<Plus size={16} aria-hidden />}
          disabled={!isOffered}
          onClick={() => setDoing({ what: 'create' })}
        >
          Create a key
        </Button>
      }
    >
      <Panel>
        <Loaded query={keys}>
          {({ data }) =>
            data.length === 0 ? (
              <Text size="sm" c="dimmed">
                {isOffered
                  ? 'You have no keys yet.'
                  : 'No key template is open to you. Ask an admin of the gateway for one.'}
              </Text>
            ) : (
              <DataTable label="My keys" columns={columnsWith(setDoing)} rows={data} rowKey={({ id }) => id} />
            )
          }
        </Loaded>
      </Panel>
      {doing?.what === 'create' && <CreateMyKey templates={templates.data?.data ?? []} onClose={close} />}
      {doing?.what === 'rotate' && <RotateMyKey of={doing.key} onClose={close} />}
      {doing?.what === 'revoke' && <RevokeMyKey of={doing.key} onClose={close} />}
    </Page>
  )
}

function columnsWith(onDo: (doing: Doing) => void): Column<MyKey>[] {
  return [
    { name: 'name', title: 'Name', cell: ({ name }) => name },
    {
      name: 'prefix',
      title: 'Begins with',
      wideOnly: true,
      cell: ({ prefix }) => <span className="mono">{prefix}…</span>,
    },
    { name: 'workspace', title: 'Workspace', wideOnly: true, cell: ({ workspace }) => workspace },
    { name: 'state', title: 'State', cell: (key) => <KeyStateBadge lifetime={key} /> },
    { name: 'expires', title: 'Expires', cell: ({ expires_at: at }) => (at === null ? 'never' : <Time at={at} />) },
    { name: 'spent', title: 'Spent', figures: true, cell: ({ spent_usd: usd }) => <Money usd={usd} /> },
    { name: 'budget', title: 'Budget', cell: (key) => <Budgets of={key} /> },
    { name: 'left', title: 'Left', figures: true, cell: (key) => <Left of={key} /> },
    {
      name: 'actions',
      title: 'Actions',
      figures: true,
      cell: (key) =>
        works(key, Date.now()) && (
          <Group gap="xs" justify="flex-end" wrap="nowrap">
            <Button variant="default" size="compact-xs" onClick={() => onDo({ what: 'rotate', key })}>
              Rotate
            </Button>
            <Button variant="default" size="compact-xs" c="var(--bad)" onClick={() => onDo({ what: 'revoke', key })}>
              Revoke
            </Button>
          </Group>
        ),
    },
  ]
}

/** Those of the key itself. */
function Budgets({ of: { name, budgets } }: { of: MyKey }) {
  if (budgets.length === 0) return <Dimmed>no budget</Dimmed>
  return (
    <Stack gap="xs">
      {budgets.map(({ per, mode, limit_usd: limit, spent_usd: spent, held_usd: held }) => (
        <BudgetBar
          key={per}
          label={`Budget of ${name}`}
          limitUsd={limit}
          spentUsd={spent}
          heldUsd={held}
          unconfirmedUsd="0"
          per={per}
          mode={mode}
        />
      ))}
    </Stack>
  )
}

function Left({ of: { budgets } }: { of: MyKey }) {
  if (budgets.length === 0) return <Dimmed>–</Dimmed>
  return (
    <Stack gap="xs">
      {budgets.map(({ per, remaining_usd: left, resets_at: at }) => (
        <div key={per}>
          <Money usd={left} />
          {at !== null && (
            <Text size="xs" c="dimmed">
              resets <Time at={at} relative />
            </Text>
          )}
        </div>
      ))}
    </Stack>
  )
}

function Dimmed({ children }: { children: string }) {
  return (
    <Text span size="sm" c="dimmed">
      {children}
    </Text>
  )
}

function RevokeMyKey({ of: key, onClose }: { of: MyKey; onClose: () => void }) {
  const revoke = useChange('my-keys.revoke')
  function confirm() {
    const onSuccess = () => {
      tell(`${key.name} revoked`)
      onClose()
    }
    revoke.mutate({ params: { id: key.id } }, { onSuccess })
  }
  return (
    <Confirm
      isOpen
      onClose={onClose}
      title={`Revoke ${key.name}?`}
      action="Revoke the key"
      isBusy={revoke.isPending}
      error={revoke.error}
      onConfirm={confirm}
    >
      From the next call on it is refused with 401. This cannot be undone.
    </Confirm>
  )
}
