import { Group, Stack, Text } from '@mantine/core'
import { Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useOperation, useVersioned } from '../../api/hooks.ts'
import { DetailDrawer, DrawerSection } from '../../components/detail-drawer.tsx'
import { History } from '../../components/history/history.tsx'
import { MayButton } from '../../components/may-button.tsx'
import { Loaded } from '../../components/states.tsx'
import { ManagedBadge } from '../../components/status.tsx'
import { tell } from '../../components/tell.ts'
import { useUrlState } from '../../shell/place.ts'
import { DeleteProvider } from './delete-provider.tsx'
import { ProviderFacts } from './provider-facts.tsx'
import { ProviderForm } from './provider-form.tsx'
import { type GatewayStatus, isEditable, type Provider } from './provider-health.ts'
import type { ProviderKinds } from './provider-kinds.ts'
import { type Added, SuggestedRoute } from './suggested-route.tsx'
import { modelsOf, trialText } from './trial.ts'

export interface ProviderDrawerProps {
  name: string | undefined
  status: GatewayStatus | undefined
  /** Undefined until they are read. */
  kinds: ProviderKinds | undefined
  added: Added | null
  onAdded: (added: Added | null) => void
  onClose: () => void
}

/** One provider: how it does in full, and its form when it is asked for. */
export function ProviderDrawer({ name, status, kinds, added, onAdded, onClose }: ProviderDrawerProps) {
  const [going, setGoing] = useState<string | null>(null)
  const provider = useVersioned(
    'providers.get',
    { params: { name: name ?? '' } },
    { enabled: name !== undefined && name !== going },
  )
  const [{ edit }, setSearch] = useUrlState()
  const [isDeleting, setDeleting] = useState(false)
  const [isRestoring, setRestoring] = useState(false)
  const [edition, setEdition] = useState(0)
  const stored = provider.data?.value
  const isEditing = edit !== undefined && stored !== undefined && isEditable(stored)
  return (
    <>
      <DetailDrawer
        isOpen={name !== undefined}
        onClose={onClose}
        isCovered={isDeleting || isRestoring}
        isForm={isEditing}
        title={<Headline name={name ?? ''} provider={stored} />}
      >
        <Loaded query={name === going ? { ...provider, data: undefined, error: null } : provider}>
          {({ value, etag }) =>
            isEditing && kinds !== undefined ? (
              <ProviderForm
                key={edition}
                stored={value}
                etag={etag}
                kinds={kinds}
                onCancel={() => setSearch({ edit: null })}
                onSaved={(saved, trial) => {
                  tell(`${saved} saved. ${trial === null ? 'Applies from the next call.' : trialText(trial)}`)
                  onAdded({ name: saved, models: trial === null ? [] : modelsOf(trial) })
                  setSearch({ edit: null })
                }}
                onReload={() => void provider.refetch().then(() => setEdition((now) => now + 1))}
              />
            ) : (
              <Stack gap="xl">
                <SuggestedRoute provider={value.name} added={added} onDone={() => onAdded(null)} />
                <ProviderFacts provider={value} status={status} />
                {isEditable(value) && (
                  <ProviderActions
                    name={value.name}
                    isOwn={value.managed_by === null}
                    onEdit={() => setSearch({ edit: '1' })}
                    onDelete={() => setDeleting(true)}
                  />
                )}
                <DrawerSection title="History">
                  <History
                    resource={`providers/${value.name}`}
                    workspace={null}
                    current={value}
                    onCovered={setRestoring}
                  />
                </DrawerSection>
              </Stack>
            )
          }
        </Loaded>
      </DetailDrawer>
      {stored !== undefined && (
        <DeleteProvider
          key={`${stored.name} ${isDeleting}`}
          name={stored.name}
          etag={provider.data?.etag ?? null}
          isOpen={isDeleting}
          onClose={() => setDeleting(false)}
          onGoing={(isGoing) => setGoing(isGoing ? stored.name : null)}
          onDeleted={() => {
            setDeleting(false)
            onClose()
            setGoing(null)
          }}
        />
      )}
    </>
  )
}

function Headline({ name, provider }: { name: string; provider: Provider | undefined }) {
  return (
    <Group gap="sm">
      <Text fw={650} fz="lg">
        {name}
      </Text>
      {provider !== undefined && <ManagedBadge by={provider.managed_by} />}
    </Group>
  )
}

interface ActionsProps {
  name: string
  /** Not one of the file or the environment. */
  isOwn: boolean
  onEdit: () => void
  onDelete: () => void
}

function ProviderActions({ name, isOwn, onEdit, onDelete }: ActionsProps) {
  const used = useOperation('providers.routes', { params: { name } }).data?.data.length ?? 0
  const routes =
    used === 1 ? 'One route uses it: take it out of its chain' : `${used} routes use it: take it out of their chains`
  const inUse = used === 0 ? undefined : `${routes} first.`
  return (
    <Group>
      <MayButton to="providers.put" variant="default" leftSection={<Pencil size={15} aria-hidden />} onClick={onEdit}>
        {isOwn ? 'Edit' : 'Set it up'}
      </MayButton>
      {isOwn && (
        <MayButton
          to="providers.delete"
          variant="subtle"
          color="red"
          leftSection={<Trash2 size={15} aria-hidden />}
          disabled={inUse !== undefined}
          title={inUse}
          onClick={onDelete}
        >
          Delete
        </MayButton>
      )}
      {isOwn && inUse !== undefined && (
        <Text size="xs" c="dimmed">
          {inUse}
        </Text>
      )}
    </Group>
  )
}
