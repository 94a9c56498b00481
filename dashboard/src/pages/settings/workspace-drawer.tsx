import { Anchor, Button, Group, Stack, Text } from '@mantine/core'
import { Trash2 } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { Link } from 'wouter'
import { useChange, useOperation } from '../../api/hooks.ts'
import { DetailDrawer, DrawerSection } from '../../components/detail-drawer.tsx'
import { FormError } from '../../components/form-error.tsx'
import { History } from '../../components/history/history.tsx'
import { BudgetBar } from '../../components/limits/budget-bar.tsx'
import { LimitsInWords } from '../../components/limits/limits-in-words.tsx'
import { MayButton } from '../../components/may-button.tsx'
import { Loaded } from '../../components/states.tsx'
import { ManagedBadge } from '../../components/status.tsx'
import { tell } from '../../components/tell.ts'
import { Time } from '../../components/time.tsx'
import { count } from '../../format/number.ts'
import { DeleteWorkspace } from './delete-workspace.tsx'
import { GuardrailSecret } from './guardrail-secret.tsx'
import type { Workspace } from './workspace.ts'
import { WorkspaceFields } from './workspace-fields.tsx'
import { fixedSettings, isWorkspaceWhole, settingsOf, WORKSPACE_FIELDS, workspaceForm } from './workspace-form.ts'

export function WorkspaceDrawer({ name, onClose }: { name: string; onClose: () => void }) {
  const remove = useChange('workspaces.delete')
  // What is being deleted is not asked for again.
  const isGoing = remove.isPending || remove.isSuccess
  const workspace = useOperation('workspaces.get', { params: { name } }, { enabled: !isGoing })
  const [isDeleting, setDeleting] = useState(false)
  const [isRestoring, setRestoring] = useState(false)
  const [edition, setEdition] = useState(0)
  return (
    <>
      <DetailDrawer
        isOpen
        onClose={onClose}
        title={
          <Text span fw={650} fz="lg">
            {name}
          </Text>
        }
        isCovered={isDeleting || isRestoring}
      >
        <Loaded query={workspace}>
          {(value) => (
            <Stack gap="lg">
              <Summary of={value} />
              {!isGoing && <WorkspaceBudget of={value} />}
              <Settings key={`${value.name} ${edition}`} of={value} />
              {value.guardrail !== null && <GuardrailSecret workspace={value.name} />}
              <DrawerSection title="History">
                <History
                  resource={`workspaces/${value.name}`}
                  workspace={value.name}
                  current={value}
                  onCovered={setRestoring}
                  onRestored={() => void workspace.refetch().then(() => setEdition((now) => now + 1))}
                />
              </DrawerSection>
              <DrawerSection title="Delete">
                {value.name === 'default' ? (
                  <Text size="sm" c="dimmed">
                    The default workspace can’t be deleted.
                  </Text>
                ) : (
                  <Group justify="space-between">
                    <Text size="sm" c="dimmed">
                      Its routes, keys and stored content are deleted. Its requests stay in the log.
                    </Text>
                    <MayButton
                      to="workspaces.delete"
                      variant="default"
                      size="xs"
                      c="var(--bad)"
                      leftSection={<Trash2 size={14} aria-hidden />}
                      onClick={() => setDeleting(true)}
                    >
                      Delete the workspace
                    </MayButton>
                  </Group>
                )}
              </DrawerSection>
            </Stack>
          )}
        </Loaded>
      </DetailDrawer>
      {isDeleting && workspace.data !== undefined && (
        <DeleteWorkspace of={workspace.data} remove={remove} onClose={() => setDeleting(false)} onDeleted={onClose} />
      )}
    </>
  )
}

function Summary({ of: { name, routes, live_keys, created_at } }: { of: Workspace }) {
  const place = (page: string) => `/${encodeURIComponent(name)}/${page}`
  return (
    <Group gap="md">
      <Anchor component={Link} href={place('overview')} size="sm">
        Go there
      </Anchor>
      <Anchor component={Link} href={place('routes')} size="sm">
        {routes === 1 ? '1 route' : `${count(routes)} routes`}
      </Anchor>
      <Anchor component={Link} href={place('keys')} size="sm">
        {live_keys === 1 ? '1 live key' : `${count(live_keys)} live keys`}
      </Anchor>
      <Text size="sm" c="dimmed">
        created <Time at={created_at} />
      </Text>
    </Group>
  )
}

/** A workspace comes before its keys in the list of budgets, so one row is enough to know. */
function WorkspaceBudget({ of: { name, limits } }: { of: Workspace }) {
  const { per, mode } = limits?.budget ?? {}
  const budgets = useOperation(
    'budgets.list',
    { query: { workspace: name, limit: 1 } },
    { enabled: per !== undefined, refetchEvery: 10_000 },
  )
  const row = budgets.data?.data.find(({ scope, id }) => scope === 'workspace' && id === name)
  const money = per === undefined ? undefined : row?.periods[per]
  if (per === undefined || mode === undefined || money === undefined || money.limit_usd === null) return null
  return (
    <DrawerSection title="Budget usage">
      <BudgetBar
        label={`Budget of the workspace ${name}`}
        limitUsd={money.limit_usd}
        spentUsd={money.spent_usd}
        heldUsd={money.held_usd}
        unconfirmedUsd={money.unconfirmed_usd}
        per={per}
        mode={mode}
      />
    </DrawerSection>
  )
}

function Settings({ of: workspace }: { of: Workspace }) {
  const update = useChange('workspaces.update')
  const stored = workspaceForm(workspace)
  const [form, setForm] = useState(stored)
  const fixed = fixedSettings(workspace)
  const isChanged = JSON.stringify(form) !== JSON.stringify(stored)
  const isReady = isChanged && isWorkspaceWhole(form)

  function submit(event: FormEvent) {
    event.preventDefault()
    if (!isReady) return
    const onSuccess = (saved: Workspace) => {
      // What was changed while it was being saved stays.
      setForm((now) => (now === form ? workspaceForm(saved) : now))
      tell(`${workspace.name} saved. Applies from the next call.`)
    }
    update.mutate({ params: { name: workspace.name }, body: settingsOf(form, fixed) }, { onSuccess })
  }

  return (
    <DrawerSection title="Settings">
      <form onSubmit={submit}>
        <Stack>
          <WorkspaceFields form={form} onChange={setForm} error={update.error} fixed={fixed} />
          {fixed.includes('limits') && <FixedLimits of={workspace} />}
          <FormError error={update.error} fields={WORKSPACE_FIELDS} />
          <Group justify="flex-end">
            <Button variant="default" disabled={!isChanged} onClick={() => setForm(stored)}>
              Undo changes
            </Button>
            <MayButton to="workspaces.update" type="submit" loading={update.isPending} disabled={!isReady}>
              Save
            </MayButton>
          </Group>
        </Stack>
      </form>
    </DrawerSection>
  )
}

function FixedLimits({ of: { limits } }: { of: Workspace }) {
  return (
    <Stack gap={4}>
      <Group gap="xs">
        <Text size="sm" fw={550}>
          Limits for all its keys together
        </Text>
        <ManagedBadge by="config" />
      </Group>
      <LimitsInWords limits={limits} />
      <Text size="xs" c="dimmed">
        They are managed by the configuration file. Change them in switchyard.yaml.
      </Text>
    </Stack>
  )
}
