import { Anchor, Badge, Group, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { Reply } from '../../../api/client.ts'
import { useOperation } from '../../../api/hooks.ts'
import { type Column, DataTable } from '../../../components/data-table.tsx'
import { Money } from '../../../components/money.tsx'
import { Panel } from '../../../components/panel.tsx'
import { Time } from '../../../components/time.tsx'
import { addExact, compareExact, isZero } from '../../../format/exact.ts'
import { shortUsd } from '../../../format/money.ts'
import { count } from '../../../format/number.ts'
import { usePath } from '../../../shell/place.ts'

type Agent = Reply<'usage.session'>['agents'][number]
type SessionBudget = Reply<'usage.session'>['budgets'][number]

/** How often a session is read again while its agents are at work. */
const LIVE_MS = 2_000
/** A session whose last call is older than this is not followed. */
const QUIET_MS = 5 * 60_000

interface SessionTreeProps {
  workspace: string
  session: string
  /** Where there is only one agent. */
  otherwise: ReactNode
}

/** What each agent of a session has cost, below the one that started it. */
export function SessionTree({ workspace, session, otherwise }: SessionTreeProps) {
  const path = usePath()
  const input = { params: { session }, query: { workspace } }
  const first = useOperation('usage.session', input)
  const isLive = first.data !== undefined && isAtWork(first.data)
  const { data: tree } = useOperation('usage.session', input, { refetchEvery: isLive ? LIVE_MS : undefined })
  if (tree === undefined || tree.session !== session) return otherwise
  const cut = tree.agents.reduce((sum, agent) => sum + agent.cut_streams, 0)
  if (tree.agents.length < 2 && cut === 0 && tree.budgets.length === 0) return otherwise
  const unpriced = tree.agents.reduce((sum, agent) => sum + agent.unpriced_requests, 0)
  const hrefOf = (agent: string | null) =>
    `${path('requests')}?${new URLSearchParams({ session, ...(agent === null ? { kind: 'main' } : { agent }) })}`
  return (
    <Panel
      flush
      title="Agents of this session"
      description={
        <>
          {count(tree.requests)} requests, <Money usd={tree.cost_usd} />
          {unpriced > 0 && `, without ${count(unpriced)} of unknown price`}
          {cut > 0 && (
            <>
              , <Money usd={addExact(tree.agents.map((agent) => agent.cut_usd))} /> of it for {count(cut)} cut{' '}
              {cut === 1 ? 'stream' : 'streams'}, which agents ask for again
            </>
          )}
          {tree.running > 0 && `, ${count(tree.running)} running`}
          {tree.is_cut && '. Only the costliest 1,000 agents are listed.'}
          {tree.budgets.map((budget) => (
            <BudgetLeft key={`${budget.scope} ${budget.key_id} ${budget.per}`} budget={budget} tree={tree} />
          ))}
        </>
      }
    >
      <DataTable
        label="Agents of this session"
        columns={columnsOf(
          hrefOf,
          tree.agents.some(({ budgets }) => budgets.length > 0),
        )}
        rows={tree.agents}
        rowKey={({ agent }) => agent ?? ''}
      />
    </Panel>
  )
}

function isAtWork({ running, last_at: lastAt }: Reply<'usage.session'>): boolean {
  return running > 0 || Date.now() - Date.parse(lastAt) < QUIET_MS
}

function columnsOf(hrefOf: (agent: string | null) => string, hasBudgets: boolean): Column<Agent>[] {
  const left: Column<Agent> = { name: 'left', title: 'Left', figures: true, cell: (row) => <Left {...row} /> }
  return [
    { name: 'agent', title: 'Agent', cell: (row) => <Name row={row} href={hrefOf(row.agent)} /> },
    { name: 'models', title: 'Models', cell: ({ models }) => models.join(', '), wideOnly: true, leftOut: 'first' },
    { name: 'requests', title: 'Requests', figures: true, cell: ({ requests }) => count(requests) },
    { name: 'prompt', title: 'Prompt tokens', figures: true, cell: (row) => count(row.prompt_tokens), wideOnly: true },
    { name: 'cached', title: 'Cached', figures: true, cell: (row) => <CachedShare {...row} /> },
    {
      name: 'answer',
      title: 'Answer tokens',
      figures: true,
      cell: (row) => count(row.completion_tokens),
      wideOnly: true,
    },
    { name: 'cost', title: 'Cost', figures: true, cell: ({ cost_usd: cost }) => <Money usd={cost} /> },
    {
      name: 'with',
      title: 'With sub-agents',
      figures: true,
      cell: ({ with_children: { agents, cost_usd: cost } }) => (agents < 2 ? '–' : <Money usd={cost} />),
      wideOnly: true,
    },
    ...(hasBudgets ? [left] : []),
    {
      name: 'last',
      title: 'Last call',
      figures: true,
      cell: (row) => <Time at={row.last_at} relative />,
      wideOnly: true,
      leftOut: 'second',
    },
  ]
}

function Name({ row, href }: { row: Agent; href: string }) {
  const kinds = row.kinds.filter((kind) => kind !== 'main' && kind !== 'subagent')
  return (
    <Group gap={6} wrap="nowrap" pl={row.depth * 18}>
      <Anchor component={Link} href={href} inherit truncate maw={260} title={row.agent ?? 'The main agent'}>
        {row.agent ?? 'Main agent'}
      </Anchor>
      {kinds.map((kind) => (
        <Text key={kind} size="xs" c="dimmed">
          {kind}
        </Text>
      ))}
      {row.running > 0 && (
        <Badge size="xs" variant="light">
          running
        </Badge>
      )}
      {row.errors > 0 && (
        <Badge size="xs" variant="light" color="red">
          {count(row.errors)} failed
        </Badge>
      )}
    </Group>
  )
}

/** What is left for the session. */
function BudgetLeft({ budget, tree }: { budget: SessionBudget; tree: Reply<'usage.session'> }) {
  const { per, limit_usd: limit, remaining_usd: left, held_usd: held, key_id: keyId } = budget
  const name = tree.keys.length > 1 ? ` (key ${tree.keys.find(({ id }) => id === keyId)?.name ?? keyId})` : ''
  return (
    <Text span inherit display="block">
      <Money usd={left} /> left of <Money usd={limit} />
      {per === 'total' ? ' for each session' : ` for each session per ${per}`}
      {name}
      {!isZero(held) && (
        <>
          , <Money usd={held} /> held
        </>
      )}
    </Text>
  )
}

/** Of the tightest budget of an agent, which counts what it started. */
function Left({ budgets }: Agent) {
  const [tightest] = budgets.toSorted((a, b) => compareExact(a.remaining_usd, b.remaining_usd))
  if (tightest === undefined) return '–'
  const { remaining_usd: left, limit_usd: limit, held_usd: held } = tightest
  return (
    <span title={`Of ${shortUsd(limit)}, with its sub-agents; ${shortUsd(held)} held`}>
      <Money usd={left} />
    </span>
  )
}

/** Of the prompt tokens, those that came from the provider's cache. */
function CachedShare({ prompt_tokens: prompt, cached_tokens: cached, prompt_cache_saved_usd: saved }: Agent) {
  if (prompt === 0) return '–'
  const title = saved.startsWith('-') ? `Caching cost ${shortUsd(saved.slice(1))} more` : `Saved ${shortUsd(saved)}`
  return <span title={title}>{Math.round((100 * cached) / prompt)} %</span>
}
