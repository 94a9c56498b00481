import { Anchor, Button, Divider, Group, Stack, Text } from '@mantine/core'
import { Ban, RefreshCw } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import type { Versioned } from '../../api/client.ts'
import { useVersioned } from '../../api/hooks.ts'
import { BudgetBar } from '../../components/budget-bar.tsx'
import { DetailDrawer, DrawerSection } from '../../components/detail-drawer.tsx'
import { KeyStateBadge } from '../../components/key-state-badge.tsx'
import { Loaded } from '../../components/states.tsx'
import { ManagedBadge } from '../../components/status.tsx'
import { Time } from '../../components/time.tsx'
import { isChangeable, keyState, works } from '../../format/key-state.ts'
import { usePath } from '../../shell/place.ts'
import { KeyFacts } from './key-facts.tsx'
import { type Budget, budgetMoney, type Key } from './key-list.ts'
import { FixedKeySettings, KeySettings } from './key-settings.tsx'
import { KeyUsage } from './key-usage.tsx'
import { RateUse } from './rate-use.tsx'
import { RevokeKey } from './revoke-key.tsx'
import { RotateKey } from './rotate-key.tsx'

export interface KeyDrawerProps {
  id: string
  /** What it has used of its limits; null without limits, or when it no longer works. */
  use: Budget | null
  onClose: () => void
  onReplaced: (id: string) => void
}

/** Everything about one key, and everything that can be done with it. */
export function KeyDrawer({ id, use, onClose, onReplaced }: KeyDrawerProps) {
  const key = useVersioned('keys.get', { params: { id } })
  const [dialog, setDialog] = useState<'rotate' | 'revoke' | null>(null)
  const value = key.data?.value
  return (
    <>
      <DetailDrawer isOpen onClose={onClose} title={<Heading of={value} />} isCovered={dialog !== null}>
        <Loaded query={key}>
          {(read) => (
            <Stack gap="lg">
              <Actions of={read.value} onOpen={setDialog} />
              <KeyFacts of={read.value} />
              {use !== null && <KeyBudget name={read.value.name} use={use} />}
              <KeyUsage of={read.value} />
              <Divider color="var(--line)" />
              <Settings read={read} reload={() => key.refetch()} />
            </Stack>
          )}
        </Loaded>
      </DetailDrawer>
      {value !== undefined && dialog === 'revoke' && <RevokeKey of={value} onClose={() => setDialog(null)} />}
      {value !== undefined && dialog === 'rotate' && (
        <RotateKey of={value} onClose={() => setDialog(null)} onRotated={onReplaced} />
      )}
    </>
  )
}

function Heading({ of: key }: { of: Key | undefined }) {
  if (key === undefined) return 'Key'
  return (
    <Group gap="xs">
      <Text span fw={650} fz="lg">
        {key.name}
      </Text>
      <KeyStateBadge lifetime={key} />
      <ManagedBadge by={key.managed_by} />
    </Group>
  )
}

function Actions({ of: key, onOpen }: { of: Key; onOpen: (dialog: 'rotate' | 'revoke') => void }) {
  const path = usePath()
  const now = Date.now()
  const isOurs = key.managed_by === null
  return (
    <Group justify="space-between" gap="sm">
      <Group gap="md">
        <Anchor component={Link} href={`${path('requests')}?key=${encodeURIComponent(key.id)}`} size="sm">
          Its requests
        </Anchor>
        {works(key, now) && (
          <Anchor component={Link} href={`${path('playground')}?key=${encodeURIComponent(key.id)}`} size="sm">
            Try it
          </Anchor>
        )}
      </Group>
      {isOurs && works(key, now) && (
        <Group gap="xs">
          {keyState(key, now) !== 'replaced' && (
            <Button
              variant="default"
              size="xs"
              leftSection={<RefreshCw size={14} aria-hidden />}
              onClick={() => onOpen('rotate')}
            >
              Rotate
            </Button>
          )}
          <Button
            variant="default"
            size="xs"
            c="var(--bad)"
            leftSection={<Ban size={14} aria-hidden />}
            onClick={() => onOpen('revoke')}
          >
            Revoke
          </Button>
        </Group>
      )}
    </Group>
  )
}

function KeyBudget({ name, use }: { name: string; use: Budget }) {
  const money = budgetMoney({ use })
  return (
    <DrawerSection title="Used of its limits">
      {money !== null && (
        <BudgetBar
          label={`Budget of ${name}, in full`}
          limitUsd={money.limit_usd}
          spentUsd={money.spent_usd}
          heldUsd={money.held_usd}
          per={money.per}
        />
      )}
      <Group justify="space-between">
        <RateUse use={use} />
        {money !== null && money.resets_at !== null && (
          <Text size="xs" c="dimmed">
            begins anew <Time at={money.resets_at} relative />
          </Text>
        )}
      </Group>
    </DrawerSection>
  )
}

function Settings({ read, reload }: { read: Versioned<Key>; reload: () => Promise<unknown> }) {
  const key = read.value
  return (
    <DrawerSection title="Settings">
      {isChangeable(key, Date.now()) ? (
        <KeySettings read={read} reload={reload} />
      ) : (
        <FixedKeySettings of={key} why={whyFixed(key)} />
      )}
    </DrawerSection>
  )
}

function whyFixed(key: Key): string {
  if (key.managed_by === 'config') return 'This key belongs to the configuration file: change it in switchyard.yaml.'
  if (key.managed_by === 'environment') return 'This key comes from the environment of the gateway: change it there.'
  return keyState(key, Date.now()) === 'replaced'
    ? 'This key has a successor of the same name. Change that one; this one works until it ends.'
    : 'This key is revoked. What it was allowed to do stays here to look up.'
}
