import { Plus, Server } from 'lucide-react'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { useAll, useOperation } from '../../api/hooks.ts'
import { MayButton } from '../../components/may-button.tsx'
import { Page } from '../../components/page.tsx'
import { Panel } from '../../components/panel.tsx'
import { Permitted } from '../../components/permitted.tsx'
import { EmptyState, Loaded } from '../../components/states.tsx'
import { usePath, usePlaceParts, useUrlState } from '../../shell/place.ts'
import { NewProviderDrawer } from './new-provider-drawer.tsx'
import { ProviderCard } from './provider-card.tsx'
import { ProviderDrawer } from './provider-drawer.tsx'
import classes from './providers.module.css'
import type { Added } from './suggested-route.tsx'

/** The upstreams: how each does now, and where it is set. */
export function ProvidersPage() {
  const providers = useAll('providers.list', {})
  const kinds = useOperation('providers.kinds', {})
  const status = useOperation('status.get', {}, { refetchEvery: 5000 })
  const [openName] = usePlaceParts()
  const [{ new: isNew }, setSearch] = useUrlState()
  const [added, setAdded] = useState<Added | null>(null)
  const path = usePath()
  const [, navigate] = useLocation()
  return (
    <Page
      title="Providers"
      description="Where calls go. Health covers this gateway process since it started."
      actions={
        <MayButton
          to="providers.put"
          leftSection={<Plus size={16} aria-hidden />}
          onClick={() => setSearch({ new: '1' }, { push: true })}
        >
          Add a provider
        </MayButton>
      }
    >
      <Loaded query={providers}>
        {(rows) =>
          rows.length === 0 ? (
            <Panel>
              <EmptyState title="No providers yet" icon={Server}>
                Add a vendor with its key, test it, and use it in a route.
              </EmptyState>
            </Panel>
          ) : (
            <div className={classes['grid']}>
              {rows.map((provider) => (
                <ProviderCard
                  key={provider.name}
                  provider={provider}
                  status={status.data}
                  isCurrent={provider.name === openName}
                />
              ))}
            </div>
          )
        }
      </Loaded>
      <ProviderDrawer
        name={openName}
        status={status.data}
        kinds={kinds.data}
        added={added}
        onAdded={setAdded}
        onClose={() => navigate(path('providers'))}
      />
      <Permitted to="providers.put">
        <NewProviderDrawer
          isOpen={isNew !== undefined && openName === undefined}
          kinds={kinds.data}
          providers={providers.data ?? []}
          onClose={() => setSearch({ new: null })}
          onSaved={(name, models) => setAdded({ name, models })}
        />
      </Permitted>
    </Page>
  )
}
