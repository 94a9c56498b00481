import { Text } from '@mantine/core'
import { PiggyBank } from 'lucide-react'
import { Link } from 'wouter'
import { useAll, useOperation } from '../../api/hooks.ts'
import { BudgetBar } from '../../components/limits/budget-bar.tsx'
import {
  type Budget,
  forecastWords,
  fullestFirst,
  moneyOf,
  pressedLimits,
} from '../../components/limits/budget-watch.ts'
import { Panel } from '../../components/panel.tsx'
import { PanelLink } from '../../components/panel-link.tsx'
import { EmptyState, Loaded } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { count } from '../../format/number.ts'
import { usePath, useWorkspace } from '../../shell/place.ts'
import classes from './overview.module.css'

const REFRESH_MS = 10_000
const MOST = 6

/** Who will soon be refused. */
export function BudgetsPanel() {
  const workspace = useWorkspace()
  const path = usePath()
  const close = useAll('budgets.list', { query: { workspace, state: 'near' } }, { refetchEvery: REFRESH_MS })
  const any = useOperation('budgets.list', { query: { workspace, limit: 1 } }, { enabled: close.data?.length === 0 })
  return (
    <Panel
      title="Close to their limit"
      description="keys and workspaces at 80 % of a limit, or refusing calls"
      flush
      actions={<PanelLink href={path('budgets')}>All budgets</PanelLink>}
    >
      <Loaded query={close}>
        {(budgets: Budget[]) => <CloseOnes close={fullestFirst(budgets)} hasLimits={any.data?.data.length !== 0} />}
      </Loaded>
    </Panel>
  )
}

function CloseOnes({ close, hasLimits }: { close: Budget[]; hasLimits: boolean }) {
  if (close.length === 0) {
    return (
      <EmptyState title={hasLimits ? 'All within limits' : 'No limits yet'} icon={PiggyBank}>
        {hasLimits
          ? 'Every limit is below 80 %, and no calls were refused.'
          : 'A key can have a budget per day, week or month, and limits on requests and tokens per minute.'}
      </EmptyState>
    )
  }
  return (
    <ul className={classes['rows']}>
      {close.slice(0, MOST).map((budget) => (
        <CloseOne key={`${budget.scope} ${budget.id}`} budget={budget} />
      ))}
      {close.length > MOST && (
        <li className={classes['row']}>
          <Text size="xs" c="dimmed">
            and {close.length - MOST} more
          </Text>
        </li>
      )}
    </ul>
  )
}

function CloseOne({ budget }: { budget: Budget }) {
  const path = usePath()
  const { scope, id, name } = budget
  const money = moneyOf(budget)
  const forecast = forecastWords(budget)
  return (
    <li className={classes['row']}>
      <div className={classes['line']}>
        <Link
          href={scope === 'key' ? path('keys', id) : path('settings', 'workspaces', id)}
          className={classes['strong']}
        >
          {name}
        </Link>
        <span className={classes['words']}>{consequence(budget)}</span>
        {money !== null && money.resets_at !== null && (
          <span className={classes['end']}>
            resets <Time at={money.resets_at} relative />
          </span>
        )}
      </div>
      {money !== null && (
        <BudgetBar
          limitUsd={money.limit_usd}
          spentUsd={money.spent_usd}
          heldUsd={money.held_usd}
          unconfirmedUsd={money.unconfirmed_usd}
          per={money.per}
          mode={money.mode}
          state={budget.state}
          label={`Budget of ${name}`}
        />
      )}
      {forecast !== null && (
        <div
          className={classes['detail']}
          title="8 of 10 months end in this range, by how the days of this month differ"
        >
          {forecast}
        </div>
      )}
      {pressedLimits(budget).map(({ words }) => (
        <div key={words} className={classes['detail']}>
          {words}
        </div>
      ))}
    </li>
  )
}

/** What it means for callers. */
function consequence({ scope, limits, state, refused_last_day: refused }: Budget): string {
  const who = scope === 'workspace' ? 'workspace' : 'key'
  if (refused > 0) return `${who}, ${count(refused)} ${refused === 1 ? 'call' : 'calls'} refused in the last 24 hours`
  if (limits.budget === undefined) return who
  if (limits.budget.mode === 'soft') return `${who}, only warned`
  return state === 'over' ? `${who}, calls are refused` : `${who}, refused at 100 %`
}
