import { Anchor, Group, Stack, Table, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { CapabilityTags } from '../../components/capability-tags.tsx'
import { FactList } from '../../components/fact-list.tsx'
import { Price } from '../../components/price.tsx'
import { count } from '../../format/number.ts'
import { listedClasses } from '../../format/token-classes.ts'
import { usePath } from '../../shell/place.ts'
import classes from './catalog.module.css'
import { type CatalogEntry, capabilitiesOfEntry } from './catalog-list.ts'
import { Shutdown } from './shutdown.tsx'

/** All that is known of one entry: prices, lengths, capabilities. */
export function CatalogEntryFacts({ entry, position }: { entry: CatalogEntry; position: number | null }) {
  const path = usePath()
  return (
    <Stack gap="sm">
      <Group justify="space-between" gap="xs">
        <Text size="sm" fw={600} component="h3" className="mono" m={0}>
          {position !== null && `${position}. `}
          {entry.provider}/{entry.model}
        </Text>
        {entry.mode !== null && (
          <Anchor component={Link} size="xs" href={path('registry', entry.provider, entry.model)}>
            Price history
          </Anchor>
        )}
      </Group>
      <FactList>
        <Prices entry={entry} />
        <Fact name="Context window">{length(entry.context_window)}</Fact>
        {entry.max_input_tokens !== null && <Fact name="Longest prompt">{length(entry.max_input_tokens)}</Fact>}
        <Fact name="Longest answer">{length(entry.max_output_tokens)}</Fact>
        {entry.efforts !== null && entry.efforts.length > 0 && (
          <Fact name="Reasoning effort">{entry.efforts.join(', ')}</Fact>
        )}
        {entry.mode !== null && entry.mode !== 'chat' && <Fact name="Mode">{entry.mode}</Fact>}
        {(entry.deprecated || entry.shutdown_date !== null) && (
          <Fact name="Shutdown">
            <Shutdown entry={entry} />
          </Fact>
        )}
        <Fact name="Capabilities">
          <CapabilityTags capabilities={capabilitiesOfEntry(entry)} />
        </Fact>
      </FactList>
      {entry.tiers.length > 0 && <Tiers entry={entry} />}
      {entry.mode === null && (
        <Text size="xs" c="dimmed">
          The registry does not have this model: what its calls cost is not known.{' '}
          <Anchor component={Link} size="xs" underline="always" href={path('registry', entry.provider, entry.model)}>
            Set its prices
          </Anchor>
        </Text>
      )}
    </Stack>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  )
}

function length(tokens: number | null): ReactNode {
  return tokens === null ? <span className={classes['dim']}>unknown</span> : `${count(tokens)} tokens`
}

function Prices({ entry }: { entry: CatalogEntry }) {
  return listedClasses([entry]).map(({ field, name, fallback }) => (
    <Fact key={field} name={name}>
      <Price usd={entry[field]} input={fallback === 'input' ? entry.input_per_mtok : null} />{' '}
      {field === 'input_per_mtok' && entry[field] !== null && <PerMillion />}
    </Fact>
  ))
}

function PerMillion() {
  return <span className={classes['dim']}>per million tokens</span>
}

/** Long prompts may cost more, all of their tokens. */
function Tiers({ entry }: { entry: CatalogEntry }) {
  return (
    <Table fz="xs" verticalSpacing={4} horizontalSpacing="xs" withRowBorders={false}>
      <Table.Thead>
        <Table.Tr c="dimmed">
          <Table.Th fw={500}>Prompt longer than</Table.Th>
          <Table.Th fw={500} data-figures ta="right">
            Input
          </Table.Th>
          <Table.Th fw={500} data-figures ta="right">
            Cached
          </Table.Th>
          <Table.Th fw={500} data-figures ta="right">
            Output
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {entry.tiers.map((tier) => (
          <Table.Tr key={tier.prompt_tokens_above}>
            <Table.Td className="figures">{count(tier.prompt_tokens_above)} tokens</Table.Td>
            <Table.Td ta="right">
              <Price usd={tier.input_per_mtok} aligned />
            </Table.Td>
            <Table.Td ta="right">
              <Price usd={tier.cached_input_per_mtok} input={tier.input_per_mtok} aligned />
            </Table.Td>
            <Table.Td ta="right">
              <Price usd={tier.output_per_mtok} aligned />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
