import { Button, Group, Stack, TagsInput, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useChange, useOperation } from '../../api/hooks.ts'
import { problemAt } from '../../api/problem.ts'
import { DrawerSection } from '../../components/detail-drawer.tsx'
import { FormError } from '../../components/form-error.tsx'
import { MayButton } from '../../components/may-button.tsx'
import { tell } from '../../components/tell.ts'
import { useWorkspace } from '../../shell/place.ts'

/** As many as a first chain needs: one, and one to fall back to. */
const FIRST_MODELS = 2

/** Just saved: a route to it is suggested. */
export interface Added {
  name: string
  models: readonly string[]
}

export interface SuggestedRouteProps {
  provider: string
  added: Added | null
  onDone: () => void
}

/** One click from a new provider to a model name that applications can call. */
export function SuggestedRoute({ provider, added, onDone }: SuggestedRouteProps) {
  if (added?.name !== provider || added.models.length === 0) return null
  return <RouteForm provider={provider} models={added.models} onDone={onDone} />
}

interface RouteFormProps extends Omit<SuggestedRouteProps, 'added'> {
  /** The best ones first. */
  models: readonly string[]
}

function RouteForm({ provider, models, onDone }: RouteFormProps) {
  const workspace = useWorkspace()
  const used = useOperation('providers.routes', { params: { name: provider } })
  const put = useChange('routes.put')
  const [alias, setAlias] = useState(provider)
  const [chain, setChain] = useState(() => models.slice(0, FIRST_MODELS))
  if (used.data === undefined || used.data.data.length > 0) return null

  function create(event: FormEvent) {
    event.preventDefault()
    void put
      .mutateAsync({
        params: { alias: alias.trim() },
        query: { workspace },
        body: { chain: chain.map((model) => ({ provider, model })) },
        onlyNew: true,
      })
      .then(
        () => {
          tell(`Route ${alias.trim()} created. Applications can call it now.`)
          onDone()
        },
        // The form shows why.
        () => undefined,
      )
  }

  return (
    <DrawerSection title="Suggested route">
      <form onSubmit={create}>
        <Stack gap="sm">
          <Text size="sm" c="dimmed">
            Applications call the alias. The gateway tries its models in order.
          </Text>
          <TextInput
            label="Alias"
            value={alias}
            onChange={(event) => setAlias(event.currentTarget.value)}
            error={put.error?.status === 412 ? 'A route with this alias already exists' : problemAt(put.error, 'alias')}
            required
          />
          <TagsInput label="Models" data={[...models]} value={chain} onChange={setChain} />
          {put.error?.status !== 412 && <FormError error={put.error} fields={['alias']} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onDone}>
              Not now
            </Button>
            <MayButton to="routes.put" type="submit" loading={put.isPending} disabled={chain.length === 0}>
              Create route
            </MayButton>
          </Group>
        </Stack>
      </form>
    </DrawerSection>
  )
}
