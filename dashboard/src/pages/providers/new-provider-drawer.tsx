import { Text } from '@mantine/core'
import { useLocation } from 'wouter'
import { DetailDrawer } from '../../components/detail-drawer.tsx'
import { tell } from '../../components/tell.ts'
import { usePath } from '../../shell/place.ts'
import { ProviderForm } from './provider-form.tsx'
import type { ProviderKinds } from './provider-kinds.ts'

export interface NewProviderDrawerProps {
  isOpen: boolean
  /** Undefined until they are read. */
  kinds: ProviderKinds | undefined
  taken: readonly string[]
  onClose: () => void
}

export function NewProviderDrawer({ isOpen, kinds, taken, onClose }: NewProviderDrawerProps) {
  const path = usePath()
  const [, navigate] = useLocation()
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
      {isOpen && kinds !== undefined && (
        <ProviderForm
          stored={null}
          etag={null}
          kinds={kinds}
          taken={taken}
          onCancel={onClose}
          onSaved={(name) => {
            tell(`${name} is there; routes can name it now.`)
            navigate(path('providers', name), { replace: true })
          }}
        />
      )}
    </DetailDrawer>
  )
}
