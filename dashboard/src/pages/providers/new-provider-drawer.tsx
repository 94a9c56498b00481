import { Button, Group, Stack, Text } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { DetailDrawer } from '../../components/detail-drawer.tsx'
import { tell } from '../../components/tell.ts'
import { usePath } from '../../shell/place.ts'
import { ProviderForm } from './provider-form.tsx'
import { isEditable, type Provider } from './provider-health.ts'
import type { ProviderKinds } from './provider-kinds.ts'
import { modelsOf, trialText } from './trial.ts'
import { VendorGrid, VendorMark } from './vendor-grid.tsx'
import { nameFor, type Vendor, vendorsOf } from './vendors.ts'

export interface NewProviderDrawerProps {
  isOpen: boolean
  /** Undefined until they are read. */
  kinds: ProviderKinds | undefined
  providers: readonly Provider[]
  onClose: () => void
  /** `models`: what a route to it may begin with, best first; none when it was not tested. */
  onSaved: (name: string, models: readonly string[]) => void
}

export function NewProviderDrawer({ isOpen, onClose, ...rest }: NewProviderDrawerProps) {
  return (
    <DetailDrawer
      isForm
      isOpen={isOpen}
      onClose={onClose}
      title={
        <Text fw={650} fz="lg">
          Add a provider
        </Text>
      }
    >
      {/* Only while it is open, so that it begins empty every time. */}
      {isOpen && <Steps onClose={onClose} {...rest} />}
    </DetailDrawer>
  )
}

function Steps({ kinds, providers, onClose, onSaved }: Omit<NewProviderDrawerProps, 'isOpen'>) {
  const path = usePath()
  const [, navigate] = useLocation()
  const [vendor, setVendor] = useState<Vendor | null>(null)
  const element = useRef<HTMLDivElement>(null)
  // What is left to type: the API key, as a rule.
  useEffect(() => {
    if (vendor === null) return
    const inputs = [...(element.current?.querySelectorAll('input') ?? [])]
    inputs.find(({ value }) => value === '')?.focus()
  }, [vendor])
  if (kinds === undefined) return null
  const taken = providers.map(({ name }) => name)

  function choose(chosen: Vendor) {
    // The environment names some providers without setting them up: that one is meant, not a second one.
    const present = providers.find(({ name }) => name === chosen.id)
    const isBare = present !== undefined && present.managed_by === 'environment' && isEditable(present)
    if (isBare) navigate(`${path('providers', chosen.id)}?edit=1`, { replace: true })
    else setVendor(chosen)
  }

  if (vendor === null) return <VendorGrid vendors={vendorsOf(kinds)} onChoose={choose} />
  return (
    <Stack ref={element}>
      <Group justify="space-between">
        <Group gap="sm">
          <VendorMark title={vendor.title} />
          <Text fw={600}>{vendor.title}</Text>
        </Group>
        <Button variant="subtle" size="compact-sm" onClick={() => setVendor(null)}>
          Change vendor
        </Button>
      </Group>
      <ProviderForm
        stored={null}
        etag={null}
        kinds={kinds}
        taken={taken}
        start={{ name: nameFor(vendor, taken), family: vendor.family, preset: vendor.preset }}
        isCustom={vendor.isCustom}
        onCancel={onClose}
        onSaved={(name, trial) => {
          tell(`${name} added. ${trial === null ? 'You can use it in routes.' : trialText(trial)}`)
          onSaved(name, trial === null ? [] : modelsOf(trial))
          navigate(path('providers', name), { replace: true })
        }}
      />
    </Stack>
  )
}
