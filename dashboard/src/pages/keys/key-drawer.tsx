import { Anchor, Divider, Group, Stack, Text } from '@mantine/core'
import { Ban, Pause, Play, RefreshCw } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { Link } from 'wouter'
import type { Item, OperationName, Versioned } from '../../api/client.ts'
import { useChange, useVersioned } from '../../api/hooks.ts'
import { DetailDrawer, DrawerSection } from '../../components/detail-drawer.tsx'
import { FormError } from '../../components/form-error.tsx'
import { History } from '../../components/history/history.tsx'
import { KeyStateBadge } from '../../components/key-state-badge.tsx'
import { BudgetBar } from '../../components/limits/budget-bar.tsx'
import { RateUse } from '../../components/limits/rate-use.tsx'
import { MayButton } from '../../components/may-button.tsx'
import { Loaded } from '../../components/states.tsx'
import { ManagedBadge } from '../../components/status.tsx'
import { tell } from '../../components/tell.ts'
import { Time } from '../../components/time.tsx'
import { isChangeable, keyState, works } from '../../format/key-state.ts'
import { usePath } from '../../shell/place.ts'
import { KeyFacts } from './key-facts.tsx'
import { type Budget, budgetMoney, type Key } from './key-list.ts'
import { FixedKeySettings, KeySettings } from './key-settings.tsx'
import { KeyUsage } from './key-usage.tsx'
import { KeyValues, RevokeValue } from './key-values.tsx'
import { RevokeKey } from './revoke-key.tsx'
import { RotateKey } from './rotate-key.tsx'

const Advice = lazy(async () => ({ default: (await import('../../components/advice/advice.tsx')).Advice }))

export interface KeyDrawerProps {
  id: string
  /** What it has used of its limits; null without limits, or when it no longer works. */
  use: Budget | null
  onClose: () => void
}

/** Everything about one key, and everything that can be done with it. */
export function KeyDrawer({ id, use, onClose }: KeyDrawerProps) {
  const key = useVersioned('keys.get', { params: { id } })
  const [dialog, setDialog] = useState<'rotate' | 'revoke' | null>(null)
  const [isRestoring, setRestoring] = useState(false)
  const [revoking, setRevoking] = useState<Item<'keys.values'> | null>(null)
  const value = key.data?.value
  return (
    <>
      <DetailDrawer
        isOpen
        onClose={onClose}
        title={<Heading of={value} />}
        isCovered={dialog !== null || revoking !== null || isRestoring}
      >
        <Loaded query={key}>
          {(read) => (
            <Stack gap="lg">
              <Actions of={read.value} onOpen={setDialog} />
              <KeyFacts of={read.value} />
              {use !== null && <KeyBudget name={read.value.name} use={use} />}
              <KeyUsage of={read.value} />
              <DrawerSection title="Savings">
                <Suspense>
                  <Advice key={id} workspace={read.value.workspace} of={{ key: id }} />
                </Suspense>
              </DrawerSection>
              <KeyValues of={read.value} onRevoke={isChangeable(read.value, Date.now()) ? setRevoking : null} />
              <Divider color="var(--line)" />
              <Settings read={read} reload={() => key.refetch()} />
              <DrawerSection title="History">
                <History
                  resource={`keys/${id}`}
                  workspace={read.value.workspace}
                  current={read.value}
                  onCovered={setRestoring}
                />
              </DrawerSection>
            </Stack>
          )}
        </Loaded>
      </DetailDrawer>
      {value !== undefined && dialog === 'revoke' && <RevokeKey of={value} onClose={() => setDialog(null)} />}
      {value !== undefined && dialog === 'rotate' && <RotateKey of={value} onClose={() => setDialog(null)} />}
      {value !== undefined && revoking !== null && (
        <RevokeValue of={value} value={revoking} onClose={() => setRevoking(null)} />
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
  const state = keyState(key, now)
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
      {key.managed_by === null && (works(key, now) || state === 'paused') && (
        <Group gap="xs">
          {state !== 'replaced' && (
            <>
              <PauseOrResume of={key} />
              <ActionButton
                to="keys.rotate"
                icon={<RefreshCw size={14} aria-hidden />}
                onClick={() => onOpen('rotate')}
              >
                Rotate
              </ActionButton>
            </>
          )}
          <ActionButton to="keys.revoke" icon={<Ban size={14} aria-hidden />} isFinal onClick={() => onOpen('revoke')}>
            Revoke
          </ActionButton>
        </Group>
      )}
    </Group>
  )
}

interface ActionButtonProps {
  to: OperationName
  icon: ReactNode
  /** Cannot be undone. */
  isFinal?: boolean
  isBusy?: boolean
  onClick: () => void
  children: ReactNode
}

function ActionButton({ to, icon, isFinal = false, isBusy = false, onClick, children }: ActionButtonProps) {
  return (
    <MayButton
      to={to}
      variant="default"
      size="xs"
      {...(isFinal ? { c: 'var(--bad)' } : {})}
      leftSection={icon}
      loading={isBusy}
      onClick={onClick}
    >
      {children}
    </MayButton>
  )
}

/** Without a question first: it is undone with the button that takes its place. */
function PauseOrResume({ of: key }: { of: Key }) {
  const pause = useChange('keys.pause')
  const resume = useChange('keys.resume')
  const isPaused = key.paused_at !== null
  const change = isPaused ? resume : pause
  const message = isPaused ? `${key.name} resumed` : `${key.name} paused. Its calls get 403.`
  return (
    <>
      <FormError error={change.error} fields={[]} />
      <ActionButton
        to={isPaused ? 'keys.resume' : 'keys.pause'}
        icon={isPaused ? <Play size={14} aria-hidden /> : <Pause size={14} aria-hidden />}
        isBusy={change.isPending}
        onClick={() => change.mutate({ params: { id: key.id } }, { onSuccess: () => tell(message) })}
      >
        {isPaused ? 'Resume' : 'Pause'}
      </ActionButton>
    </>
  )
}

function KeyBudget({ name, use }: { name: string; use: Budget }) {
  const money = budgetMoney({ use })
  return (
    <DrawerSection title="Limit usage">
      {money !== null && (
        <BudgetBar
          label={`Budget of ${name}, in full`}
          limitUsd={money.limit_usd}
          spentUsd={money.spent_usd}
          heldUsd={money.held_usd}
          unconfirmedUsd={money.unconfirmed_usd}
          per={money.per}
          mode={money.mode}
        />
      )}
      <Group justify="space-between">
        <RateUse use={use} />
        {money !== null && money.resets_at !== null && (
          <Text size="xs" c="dimmed">
            resets <Time at={money.resets_at} relative />
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
  if (key.managed_by === 'config') return 'This key is managed by the configuration file. Change it in switchyard.yaml.'
  if (key.managed_by === 'environment') return 'This key is set in the gateway’s environment. Change it there.'
  return keyState(key, Date.now()) === 'replaced'
    ? 'A newer key has the same name. Change that one; this one works until it ends.'
    : 'This key is revoked. Its settings are kept for reference.'
}
