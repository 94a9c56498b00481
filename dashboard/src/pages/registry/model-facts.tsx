import { Anchor, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { CapabilityTags } from '../../components/capability-tags.tsx'
import { DrawerSection } from '../../components/detail-drawer.tsx'
import { FactList } from '../../components/fact-list.tsx'
import { Time } from '../../components/time.tsx'
import { count } from '../../format/number.ts'
import { usePath } from '../../shell/place.ts'
import { PriceTable } from './price-table.tsx'
import classes from './registry.module.css'
import { shutdownText } from './registry-columns.tsx'
import { isOwn, isUnpriced, type RegistryModel, sourceText } from './registry-list.ts'

/** Prices in force, and who says so. */
export function ModelPrices({ model, actions }: { model: RegistryModel; actions: ReactNode }) {
  return (
    <DrawerSection title="Prices" actions={actions}>
      {isUnpriced(model) && (
        <Text size="sm" c="var(--warn)">
          No input or output price: calls are logged without a cost.
        </Text>
      )}
      <PriceTable prices={model} />
      <Text size="xs" c="dimmed">
        {model.priced_at !== null && (
          <>
            In force since <Time at={model.priced_at} />, {sourceText(model.price_source)}.{' '}
          </>
        )}
        {model.tiers.length > 0 && 'A longer prompt is charged at its tier’s price as a whole. '}
        {ownerText(model)}
      </Text>
    </DrawerSection>
  )
}

function ownerText(model: RegistryModel): string {
  if (model.managed_by === 'config') return 'Managed by switchyard.yaml: change it there.'
  if (model.managed_by !== 'builtin') return ''
  return isOwn(model)
    ? 'Everything except prices comes from the built-in list.'
    : 'It follows the built-in list until you change it.'
}

/** Lengths, capabilities and names. */
export function ModelFacts({ model }: { model: RegistryModel }) {
  const path = usePath()
  const resource = `registry/${model.provider}/${model.model}`
  return (
    <DrawerSection title="Model">
      <FactList>
        <dt>Context window</dt>
        <dd>{lengthText(model.context_window)}</dd>
        {model.max_input_tokens !== null && <dt>Longest prompt</dt>}
        {model.max_input_tokens !== null && <dd>{lengthText(model.max_input_tokens)}</dd>}
        <dt>Longest answer</dt>
        <dd>{lengthText(model.max_output_tokens)}</dd>
        {model.mode !== 'chat' && <dt>Mode</dt>}
        {model.mode !== 'chat' && <dd>{model.mode}</dd>}
        <dt>Capabilities</dt>
        <dd>
          <CapabilityTags capabilities={model.capabilities.map((name) => ({ name }))} />
        </dd>
        {model.efforts !== null && <dt>Reasoning effort</dt>}
        {model.efforts !== null && <dd>{model.efforts.join(', ')}</dd>}
        {model.aliases.length > 0 && <dt>Also called</dt>}
        {model.aliases.length > 0 && <dd className="mono">{model.aliases.join(', ')}</dd>}
        {model.deprecated && <dt>Deprecated</dt>}
        {model.deprecated && <dd className={classes['warn']}>{shutdownText(model.shutdown_date)}</dd>}
        <dt>Changed</dt>
        <dd>
          <Time at={model.updated_at} />{' '}
          <Anchor component={Link} size="xs" href={`${path('audit')}?resource=${encodeURIComponent(resource)}`}>
            Who changed it
          </Anchor>
        </dd>
      </FactList>
    </DrawerSection>
  )
}

function lengthText(tokens: number | null): string {
  return tokens === null ? 'unknown' : `${count(tokens)} tokens`
}
