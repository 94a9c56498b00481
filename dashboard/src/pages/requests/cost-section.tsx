import { Alert, Anchor, Skeleton, Table, Text } from '@mantine/core'
import { CircleAlert } from 'lucide-react'
import { Link } from 'wouter'
import type { Reply } from '../../api/client.ts'
import { DrawerSection } from '../../components/detail-drawer.tsx'
import { Money } from '../../components/money.tsx'
import { Time } from '../../components/time.tsx'
import { isZero } from '../../format/exact.ts'
import { count } from '../../format/number.ts'
import { usePath } from '../../shell/place.ts'
import { arithmeticOf, type CostRow } from './cost-arithmetic.ts'
import { FormStep } from './next/next-steps.tsx'
import classes from './request-detail.module.css'
import { Unconfirmed } from './unconfirmed.tsx'
import type { ListedRequest } from './use-requests.ts'

type Explained = Reply<'requests.explain'>

/** How the cost came about, line by line, from the prices that were in force then. */
export function CostSection({ request, explained }: { request: ListedRequest; explained: Explained | undefined }) {
  return (
    <DrawerSection title="Cost">
      {explained === undefined ? (
        <Skeleton height={90} />
      ) : explained.cost === null ? (
        <NoCost request={request} reason={explained.cost_lines[0] ?? ''} />
      ) : (
        <Arithmetic request={request} cost={explained.cost} />
      )}
      {explained !== undefined && explained.cost !== null && <Bounds request={request} />}
      <Stated request={request} />
      <CacheSaving request={request} />
      <CacheMiss request={request} />
      <Resale request={request} />
      <Unconfirmed key={request.id} request={request} />
    </DrawerSection>
  )
}

/** Of a cost that is an estimate. */
function Bounds({ request: { cost_least_usd: least, cost_most_usd: most } }: { request: ListedRequest }) {
  if (least === null || most === null) return null
  return (
    <Text size="sm">
      Estimated: between <Money usd={least} /> and <Money usd={most} />. The provider did not count all of it.
    </Text>
  )
}

/** What the provider says of its own accord, beside our figure. */
function Stated({ request: { stated_usd: stated, stated_by: by } }: { request: ListedRequest }) {
  if (stated === null) return null
  return (
    <Text size="sm">
      The provider states <Money usd={stated} /> ({by}).
    </Text>
  )
}

/** Of the provider's prompt cache. */
function CacheSaving({ request: { prompt_cache_saved_usd: saved } }: { request: ListedRequest }) {
  if (saved === null || isZero(saved)) return null
  return (
    <Text size="sm">
      {saved.startsWith('-') ? (
        <>
          Writing to the prompt cache cost <Money usd={saved.slice(1)} /> more than the tokens alone.
        </>
      ) : (
        <>
          The prompt cache saved <Money usd={saved} />.
        </>
      )}
    </Text>
  )
}

/** Why little came from it. */
function CacheMiss({ request: { cache_miss: reason } }: { request: ListedRequest }) {
  if (reason === null) return null
  return <Text size="sm">Little came from the prompt cache: {reason}.</Text>
}

/** What the workspace charges its own customers. */
function Resale({ request: { resale_usd: resale } }: { request: ListedRequest }) {
  if (resale === null) return null
  return (
    <Text size="sm">
      Your price list charges <Money usd={resale} />.
    </Text>
  )
}

function NoCost({ request, reason }: { request: ListedRequest; reason: string }) {
  const text = `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`
  if (request.usage === null || request.provider === null || request.model === null) {
    return (
      <Text size="sm" c="dimmed">
        {text}
      </Text>
    )
  }
  return (
    <Alert color="yellow" icon={<CircleAlert size={16} aria-hidden />} role="group" title="No cost">
      <Text size="sm">{text}</Text>
      <Text size="sm" mt={4} mb="xs">
        A price applies to later calls. This one stays without a cost.
      </Text>
      <FormStep
        step={{ kind: 'model', provider: request.provider, model: request.model, unknown: 'price' }}
        workspace={request.workspace}
      />
    </Alert>
  )
}

function Arithmetic({ request, cost }: { request: ListedRequest; cost: NonNullable<Explained['cost']> }) {
  const { rows, tools, list, total } = arithmeticOf(cost)
  return (
    <>
      <Table className={classes['arithmetic'] ?? ''} horizontalSpacing={0} verticalSpacing={4} withRowBorders={false}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Class</Table.Th>
            <Table.Th data-figures>Tokens</Table.Th>
            <Table.Th data-figures>× USD per million</Table.Th>
            <Table.Th data-figures>= USD</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(lineOf)}
          {list !== null && (
            <Table.Tr>
              <Table.Td colSpan={3}>List price; the provider charges {cost.price_percent} % of it</Table.Td>
              <Table.Td data-figures>{list}</Table.Td>
            </Table.Tr>
          )}
          {tools.map(lineOf)}
          <Table.Tr className={classes['total'] ?? ''}>
            <Table.Td colSpan={3}>Total{cost.total_usd === request.cost_usd ? ', as logged' : ''}</Table.Td>
            <Table.Td data-figures>{total}</Table.Td>
          </Table.Tr>
        </Table.Tbody>
      </Table>
      <PriceVersion request={request} cost={cost} />
    </>
  )
}

function lineOf(row: CostRow) {
  return (
    <Table.Tr key={row.name}>
      <Table.Td>{row.name}</Table.Td>
      <Table.Td data-figures>{row.tokens}</Table.Td>
      <Table.Td data-figures>{row.price}</Table.Td>
      <Table.Td data-figures>{row.amount}</Table.Td>
    </Table.Tr>
  )
}

function PriceVersion({ request, cost }: { request: ListedRequest; cost: NonNullable<Explained['cost']> }) {
  const path = usePath()
  const version = `price version ${cost.price_version}`
  return (
    <Text size="xs" c="dimmed">
      {cost.tier_above !== null &&
        `The prompt is longer than ${count(cost.tier_above)} tokens, so that tier’s prices apply to the whole call. `}
      At{' '}
      {request.provider === null || request.model === null ? (
        version
      ) : (
        <Anchor component={Link} inherit href={path('registry', request.provider, request.model)} underline="always">
          {version}
        </Anchor>
      )}
      , in force since <Time at={cost.price_since} /> ({cost.price_source}). What a call cost never changes afterwards.
    </Text>
  )
}
