import { Badge, Group, Stack, Text } from '@mantine/core'
import { Coins, Pencil } from 'lucide-react'
import { useState } from 'react'
import { useVersioned } from '../../api/hooks.ts'
import { CopyIcon } from '../../components/copy.tsx'
import { DetailDrawer, DrawerSection } from '../../components/detail-drawer.tsx'
import { History } from '../../components/history/history.tsx'
import { MayButton } from '../../components/may-button.tsx'
import { EmptyState, Loaded } from '../../components/states.tsx'
import { ManagedBadge } from '../../components/status.tsx'
import { tell } from '../../components/tell.ts'
import { useUrlState } from '../../shell/place.ts'
import { ModelFacts, ModelPrices } from './model-facts.tsx'
import { ModelForm } from './model-form.tsx'
import { PriceHistory } from './price-history.tsx'
import type { RegistryModel } from './registry-list.ts'

export interface ModelDrawerProps {
  place: { provider: string; model: string } | null
  onClose: () => void
}

/** One model: what it costs now and since when, and its form when it is asked for. */
export function ModelDrawer({ place, onClose }: ModelDrawerProps) {
  const params = place ?? { provider: '', model: '' }
  const model = useVersioned('registry.get', { params }, { enabled: place !== null })
  const [{ edit }, setSearch] = useUrlState()
  const [isRestoring, setRestoring] = useState(false)
  const [edition, setEdition] = useState(0)
  const stored = model.data?.value
  const isEditing = edit !== undefined && stored?.managed_by !== 'config'
  const leaveForm = () => setSearch({ edit: null })
  const saved = () => {
    tell(`${params.provider}/${params.model} saved. New prices apply to calls from now on.`)
    leaveForm()
  }
  const form = {
    place,
    onCancel: leaveForm,
    onSaved: saved,
    onReload: () => void model.refetch().then(() => setEdition((now) => now + 1)),
  }
  return (
    <DetailDrawer
      isForm={isEditing}
      isCovered={isRestoring}
      isOpen={place !== null}
      onClose={onClose}
      size={680}
      title={<Headline {...params} stored={stored} />}
    >
      {model.error?.status === 404 && place !== null ? (
        isEditing ? (
          <ModelForm {...form} stored={null} etag={null} />
        ) : (
          <Unknown onAdd={() => setSearch({ edit: '1' })} />
        )
      ) : (
        <Loaded query={model}>
          {({ value, etag }) =>
            isEditing ? (
              <ModelForm key={edition} {...form} stored={value} etag={etag} />
            ) : (
              <Shown model={value} onEdit={() => setSearch({ edit: '1' })} onCovered={setRestoring} />
            )
          }
        </Loaded>
      )}
    </DetailDrawer>
  )
}

function Headline({ provider, model, stored }: { provider: string; model: string; stored: RegistryModel | undefined }) {
  return (
    <Group gap="xs">
      <Text fw={650} fz="lg" style={{ overflowWrap: 'anywhere' }}>
        {model}
      </Text>
      <Text c="dimmed" size="sm">
        {provider}
      </Text>
      <CopyIcon value={model} label="Copy the model's name" />
      {stored !== undefined && <ManagedBadge by={stored.managed_by} />}
      {stored?.deprecated && <Badge color="yellow">deprecated</Badge>}
    </Group>
  )
}

function Unknown({ onAdd }: { onAdd: () => void }) {
  return (
    <EmptyState title="The registry does not have this model" icon={Coins}>
      Its calls are logged without a cost, and budgets can’t account for them.
      <MayButton to="registry.put" mt="md" display="block" mx="auto" onClick={onAdd}>
        Set its prices
      </MayButton>
    </EmptyState>
  )
}

interface ShownProps {
  model: RegistryModel
  onEdit: () => void
  onCovered: (isCovered: boolean) => void
}

function Shown({ model, onEdit, onCovered }: ShownProps) {
  const { provider, model: name, managed_by } = model
  return (
    <Stack gap="xl">
      {model.note !== null && (
        <Text size="sm" c="dimmed">
          {model.note}
        </Text>
      )}
      <ModelPrices
        model={model}
        actions={
          managed_by === 'config' ? null : (
            <MayButton
              to="registry.put"
              variant="default"
              size="xs"
              leftSection={<Pencil size={14} aria-hidden />}
              onClick={onEdit}
            >
              Edit
            </MayButton>
          )
        }
      />
      <PriceHistory key={`${provider}/${name}`} provider={provider} model={name} />
      <ModelFacts model={model} />
      <DrawerSection title="History">
        <History resource={`registry/${provider}/${name}`} workspace={null} current={model} onCovered={onCovered} />
      </DrawerSection>
    </Stack>
  )
}
