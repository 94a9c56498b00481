import { Alert, Button, Group, SimpleGrid, Stack, Text } from '@mantine/core'
import { useChange } from '../../api/hooks.ts'
import { useRefusal } from '../../api/session.ts'
import { Money } from '../../components/money.tsx'
import { Panel } from '../../components/panel.tsx'
import { Stat } from '../../components/stat.tsx'
import { tell, tellError } from '../../components/tell.ts'
import { addExact, isZero, magnitude } from '../../format/exact.ts'
import { Difference } from './amount.tsx'
import { CausesList } from './causes-list.tsx'
import { CorrectCell } from './correct-cell.tsx'
import { ForeignPanel } from './foreign-panel.tsx'
import type { Reconciliation } from './reconciliation-rows.ts'
import { cents, openOf } from './reconciliation-rows.ts'

/** The month in four figures, and of each provider why its bill differs. */
export function ProvidersPanel({ compared }: { compared: Reconciliation }) {
  const { data } = compared
  const sum = (of: (row: (typeof data)[number]) => string) => addExact(data.map(of))
  return (
    <Stack gap="lg">
      <SimpleGrid cols={{ base: 2, md: 4 }} spacing={10}>
        <Stat label="Booked here" value={<Money usd={sum((row) => row.ours_usd)} />} note="for what reports cover" />
        <Stat label="Billed by providers" value={<Money usd={sum((row) => row.theirs_usd)} />} />
        <Stat label="Difference" value={<Difference usd={sum((row) => row.difference_usd)} />} note="billed − booked" />
        <Stat label="Unexplained" value={<Difference usd={sum((row) => row.unexplained_usd)} isBad />} />
      </SimpleGrid>
      {data.map((provider) => (
        <Panel
          key={provider.provider}
          title={`${provider.provider}: ${wordsOf(provider.difference_usd)}`}
          description={
            <>
              quantity <Difference usd={provider.quantity_usd} /> · price <Difference usd={provider.price_usd} />
            </>
          }
        >
          <CausesList causes={provider.causes} unexplained={provider.unexplained_usd} />
          <OpenCalls provider={provider} month={compared.month} />
        </Panel>
      ))}
      <ForeignPanel rows={compared.foreign_accounts} />
      <Proposals compared={compared} />
      {compared.deleted_before !== null && (
        <Text size="sm" c="dimmed">
          Requests before {compared.deleted_before.slice(0, 10)} are deleted; reports of that time are left out.
        </Text>
      )}
    </Stack>
  )
}

/** Every day and model of the provider at once; a row of the table below is one of them. */
function OpenCalls({ provider, month }: { provider: Reconciliation['data'][number]; month: string }) {
  const place = { provider: provider.provider, period: month }
  const found = [true, false].map((isBilled) => openOf(provider, isBilled, new Date()))
  return found.map((open, index) =>
    open === null ? null : (
      <Stack key={index === 0 ? 'billed' : 'not billed'} mt="md">
        <CorrectCell place={place} unconfirmed={open} isSettled />
      </Stack>
    ),
  )
}

function wordsOf(difference: string): string {
  if (isZero(difference)) return 'the bill agrees with the log'
  return `bills ${cents(magnitude(difference))} USD ${difference.startsWith('-') ? 'less' : 'more'} than booked`
}

/** Names in reports that may be models of ours: applied only when a person says so. */
function Proposals({ compared: { proposals } }: { compared: Reconciliation }) {
  const change = useChange('report-models.put')
  const refusal = useRefusal('report-models.put')
  if (proposals.length === 0) return null
  const apply = async ({ provider, name, model }: (typeof proposals)[number]) => {
    try {
      await change.mutateAsync({ body: { provider, report_name: name, model } })
      tell(`${name} is compared as ${model}.`)
    } catch (error) {
      tellError(error instanceof Error ? error.message : String(error))
    }
  }
  return (
    <Alert title="Are these the same model?" color="yellow">
      <Stack gap="xs">
        {proposals.map((each) => (
          <Group key={`${each.provider} ${each.name}`} gap="sm">
            <Text size="sm">
              {each.provider} reports <span className="mono">{each.name}</span>; the log has{' '}
              <span className="mono">{each.model}</span>.
            </Text>
            <Button
              size="compact-xs"
              variant="default"
              disabled={refusal !== undefined}
              title={refusal}
              loading={change.isPending}
              onClick={() => void apply(each)}
            >
              Compare {each.name} as {each.model}
            </Button>
          </Group>
        ))}
      </Stack>
    </Alert>
  )
}
