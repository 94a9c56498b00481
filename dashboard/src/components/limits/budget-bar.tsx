import { Group, Stack, Text } from '@mantine/core'
import { budgetUse, PER } from '../../format/budget.ts'
import { exactUsd, shortUsd } from '../../format/money.ts'
import classes from './budget-bar.module.css'

export interface BudgetBarProps {
  limitUsd: string
  spentUsd: string
  /** Set aside for the calls that run now. */
  heldUsd: string
  /** What providers may have billed besides. */
  unconfirmedUsd: string
  per?: 'day' | 'week' | 'month' | 'total'
  /** A soft one is marked: it refuses nothing. */
  mode: 'hard' | 'soft'
  /** As the gateway judges it, which knows of refused calls too; left out: by what is used. */
  state?: 'ok' | 'near' | 'over'
  /** What the bar is about, for screen readers: "Budget of web-app". */
  label: string
}

/** How much of a budget is used: a bar, the figure beside it, every digit on hover. */
export function BudgetBar({ limitUsd, spentUsd, heldUsd, unconfirmedUsd, per, mode, label, ...given }: BudgetBarProps) {
  const { spentWidth, heldWidth, percent, ...used } = budgetUse(limitUsd, spentUsd, heldUsd, unconfirmedUsd)
  const state = worse(given.state ?? 'ok', used.state)
  const open = /[1-9]/.test(unconfirmedUsd) ? `, ${exactUsd(unconfirmedUsd)} unconfirmed` : ''
  const exact = `${exactUsd(spentUsd)} spent${open} and ${exactUsd(heldUsd)} held of ${exactUsd(limitUsd)}${mode === 'soft' ? ', a soft budget' : ''}`
  return (
    <Stack gap={4} miw={150} title={exact}>
      <Group justify="space-between" gap="sm" wrap="nowrap">
        <Text size="xs" className="figures" component="span">
          {shortUsd(spentUsd)}{' '}
          <Text span c="dimmed" inherit>
            of {shortUsd(limitUsd)}
            {per === undefined ? '' : ` ${PER[per]}`}
            {mode === 'soft' && (
              <span title="A soft budget: calls beyond it are served with a warning header"> · soft</span>
            )}
          </Text>
        </Text>
        <Text size="xs" fw={600} className={`figures ${classes['percent']}`} data-state={state} component="span">
          {percent}
        </Text>
      </Group>
      {/* biome-ignore lint/a11y/useSemanticElements: a <meter> cannot show two amounts behind each other. */}
      <div
        className={classes['track']}
        data-state={state}
        role="meter"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(spentWidth + heldWidth)}
        aria-valuetext={`${percent}: ${exact}`}
      >
        <div
          className={classes['spent']}
          hidden={spentWidth === 0 && state !== 'over'}
          style={{ width: `${spentWidth}%` }}
        />
        <div className={classes['held']} style={{ width: `${heldWidth}%` }} />
      </div>
    </Stack>
  )
}

type State = NonNullable<BudgetBarProps['state']>

/** A rate limit may be at its end while the money is not: the bar shows money, so it turns yellow at most. */
function worse(given: State, used: State): State {
  return used === 'ok' && given !== 'ok' ? 'near' : used
}
