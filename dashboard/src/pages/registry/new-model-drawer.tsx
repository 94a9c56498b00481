import { Text } from '@mantine/core'
import { useLocation } from 'wouter'
import { DetailDrawer } from '../../components/detail-drawer.tsx'
import { tell } from '../../components/tell.ts'
import { usePath } from '../../shell/place.ts'
import { ModelForm } from './model-form.tsx'

export function NewModelDrawer({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const path = usePath()
  const [, navigate] = useLocation()
  return (
    <DetailDrawer
      isForm
      isOpen={isOpen}
      onClose={onClose}
      size={680}
      title={
        <Text fw={650} fz="lg">
          Add a model
        </Text>
      }
    >
      {/* Only while it is open, so that it begins empty every time. */}
      {isOpen && (
        <ModelForm
          place={null}
          stored={null}
          etag={null}
          onCancel={onClose}
          onReload={() => undefined}
          onSaved={({ provider, model }) => {
            tell(`${provider}/${model} added.`)
            navigate(path('registry', provider, model), { replace: true })
          }}
        />
      )}
    </DetailDrawer>
  )
}
