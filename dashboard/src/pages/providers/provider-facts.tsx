import { Anchor, Group, Stack, Text } from '@mantine/core'
import { Link } from 'wouter'
import { CopyText } from '../../components/copy.tsx'
import { DrawerSection } from '../../components/detail-drawer.tsx'
import { FactList } from '../../components/fact-list.tsx'
import { TestButton, TestResult, useProviderTest } from '../../components/provider-test.tsx'
import { Time } from '../../components/time.tsx'
import { usePath } from '../../shell/place.ts'
import { PriceLimit } from './price-limit.tsx'
import { HealthLine } from './provider-card.tsx'
import { type GatewayStatus, ownerText, type Provider } from './provider-health.ts'
import { ProviderRecord } from './provider-record.tsx'
import { ProviderRoutes } from './provider-routes.tsx'
import { settingDrafts } from './settings-draft.ts'

/** Everything about a provider but its secrets. */
export function ProviderFacts({ provider, status }: { provider: Provider; status: GatewayStatus | undefined }) {
  const { name } = provider
  const test = useProviderTest(name)
  return (
    <Stack gap="xl">
      <DrawerSection title="Connection" actions={<TestButton name={name} test={test} />}>
        <TestResult test={test} />
        <Connection provider={provider} />
      </DrawerSection>
      <DrawerSection title="Health">
        <HealthLine name={name} status={status} />
        <ProviderRecord name={name} status={status} />
      </DrawerSection>
      <ProviderRoutes name={name} />
    </Stack>
  )
}

function Connection({ provider }: { provider: Provider }) {
  const { name, family, base_url, has_api_key, headers, on_caller_left, on_estimate, speaks, updated_at } = provider
  const path = usePath()
  const owner = ownerText(provider)
  const names = Object.keys(headers)
  const credentials = Object.keys(provider.credentials)
  const settings = settingDrafts(provider.settings)
  return (
    <>
      <FactList>
        {provider.preset !== null && (
          <>
            <dt>Preset</dt>
            <dd>{provider.preset}</dd>
          </>
        )}
        <dt>Family</dt>
        <dd>{family}</dd>
        <dt>Base URL</dt>
        <dd>
          {base_url === null ? (
            <Text span size="sm" c="dimmed">
              as its {provider.preset === null ? 'family' : 'preset'} knows it
            </Text>
          ) : (
            <CopyText value={base_url} />
          )}
        </dd>
        {provider.priced_as !== null && provider.priced_as !== name && (
          <>
            <dt>Prices</dt>
            <dd>
              as{' '}
              <Anchor
                component={Link}
                href={`${path('registry')}?provider=${provider.priced_as}`}
                inherit
                underline="always"
              >
                {provider.priced_as}
              </Anchor>
              , where it has none of its own
            </dd>
          </>
        )}
        <dt>API key</dt>
        <dd>{has_api_key ? 'set, not shown' : <Missing />}</dd>
        {settings.length > 0 && (
          <>
            <dt>Settings</dt>
            <dd className="mono">
              {settings.map(({ name: setting, text }) => (
                <div key={setting}>
                  {setting}: {text}
                </div>
              ))}
            </dd>
          </>
        )}
        {credentials.length > 0 && (
          <>
            <dt>Credentials</dt>
            <dd>
              <span className="mono">{credentials.join(', ')}</span>, not shown
            </dd>
          </>
        )}
        <dt>Extra headers</dt>
        <dd>{names.length === 0 ? 'none' : <span className="mono">{names.join(', ')}</span>}</dd>
        {provider.proxy !== null && (
          <>
            <dt>Proxy</dt>
            <dd>{provider.proxy === '' ? 'none' : <span className="mono">{provider.proxy}</span>}</dd>
          </>
        )}
        {provider.ca !== null && (
          <>
            <dt>Certificate authorities</dt>
            <dd>{provider.ca.split('BEGIN CERTIFICATE').length - 1} of its own</dd>
          </>
        )}
        {provider.passthrough.length > 0 && (
          <>
            <dt>Passed paths</dt>
            <dd className="mono">{provider.passthrough.join(', ')}</dd>
          </>
        )}
        <dt>When a caller leaves a stream</dt>
        <dd>{on_caller_left === 'drain' ? 'read on to the end (drain)' : 'end the call (abort)'}</dd>
        <dt>If token usage is missing</dt>
        <dd>{on_estimate === 'hold' ? 'book the whole hold' : 'book an estimate'}</dd>
        <dt>Charges at most</dt>
        <dd>
          <PriceLimit provider={provider} />
        </dd>
        <dt>Responses API</dt>
        <dd>{speaks === null ? 'by its address' : speaks.includes('responses') ? 'spoken' : 'translated to chat'}</dd>
        <dt>Changed</dt>
        <dd>
          <Group gap="xs">
            <Time at={updated_at} />
            <Anchor
              component={Link}
              size="xs"
              href={`${path('audit')}?resource=${encodeURIComponent(`providers/${name}`)}`}
            >
              Who changed it
            </Anchor>
          </Group>
        </dd>
      </FactList>
      {owner !== null && (
        <Text size="xs" c="dimmed">
          {owner}
        </Text>
      )}
    </>
  )
}

function Missing() {
  return (
    <Text span size="sm" c="dimmed">
      none
    </Text>
  )
}
