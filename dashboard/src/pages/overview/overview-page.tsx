import { Alert, Button, SegmentedControl } from '@mantine/core'
import { lazy, Suspense } from 'react'
import { Link } from 'wouter'
import type { Reply } from '../../api/client.ts'
import { useOperation } from '../../api/hooks.ts'
import { useRefusal } from '../../api/session.ts'
import { PERIODS, type Period, periodNamed } from '../../charts/periods.ts'
import { useBeginning } from '../../charts/use-beginning.ts'
import { Page } from '../../components/page.tsx'
import { Panel } from '../../components/panel.tsx'
import { ErrorState } from '../../components/states.tsx'
import { usePath, useUrlState, useWorkspace } from '../../shell/place.ts'
import { BudgetsPanel } from './budgets-panel.tsx'
import { GetStarted, useFirstSteps } from './get-started.tsx'
import { noticesOf } from './health.ts'
import { LatestErrors } from './latest-errors.tsx'
import { LiveMark } from './live-mark.tsx'
import classes from './overview.module.css'
import { GroupChart, RequestsChart } from './overview-charts.tsx'
import { ProviderHealth } from './provider-health.tsx'
import { Tiles } from './tiles.tsx'
import { REFRESH_MS, type StatusQuery, useSums } from './use-overview.ts'

const FirstRequest = lazy(async () => ({ default: (await import('./first-request.tsx')).FirstRequest }))

/** What the gateway does, what it costs and what is wrong, at a glance. */
export function OverviewPage() {
  const [search, change] = useUrlState()
  const path = usePath()
  const mayCreate = useRefusal('keys.create') === undefined
  const period = periodNamed(search['period'])
  const from = useBeginning(period)
  const { now, before } = useSums(period, from)
  const status = useOperation('status.get', {}, { refetchEvery: REFRESH_MS })
  const isUnused = useIsUnused(now.data)
  const first = useFirstSteps(status)
  return (
    <Page
      title="Overview"
      description={
        isUnused
          ? undefined
          : `What happened ${period.words}, compared with the period before. Times are in your time zone.`
      }
      actions={
        <>
          {!isUnused && mayCreate && (
            <Button component={Link} href={`${path('keys')}?new=1`} variant="default" size="xs">
              Create a key
            </Button>
          )}
          <LiveMark updatedAt={now.dataUpdatedAt} hasFailed={now.error !== null || status.error !== null} />
          <SegmentedControl
            aria-label="Period"
            size="xs"
            value={period.name}
            data={PERIODS.map(({ name, title }) => ({ value: name, label: title }))}
            onChange={(name) => change({ period: name === '24h' ? null : name })}
          />
        </>
      }
    >
      {status.data !== undefined && noticesOf(status.data).map((notice) => <Notice key={notice}>{notice}</Notice>)}
      {now.data === undefined && now.error !== null ? (
        <Panel>
          <ErrorState error={now.error} retry={() => void now.refetch()} />
        </Panel>
      ) : isUnused ? (
        <>
          <Suspense fallback={null}>{first === null && <FirstRequest />}</Suspense>
          {first && <GetStarted {...first} />}
          <ProviderHealth status={status} />
        </>
      ) : (
        <>
          {first && <GetStarted {...first} />}
          <Tiles period={period} from={from} now={now.data} before={before} />
          <Panels period={period} from={from} usage={now.data} status={status} />
        </>
      )}
    </Page>
  )
}

/** Whether there has never been a call: asked only when the period has none. */
function useIsUnused(usage: Reply<'usage.get'> | undefined): boolean {
  const workspace = useWorkspace()
  const isQuiet = usage !== undefined && usage.total.requests === 0
  const latest = useOperation('requests.list', { query: { workspace, limit: 1 } }, { enabled: isQuiet })
  return isQuiet && latest.data !== undefined && latest.data.data.length === 0 && latest.data.next_cursor === null
}

function Notice({ children }: { children: string }) {
  return (
    <Alert color="yellow" variant="light" role="status">
      {children}
    </Alert>
  )
}

interface PanelsProps {
  period: Period
  from: string
  usage: Reply<'usage.get'> | undefined
  status: StatusQuery
}

function Panels({ period, from, usage, status }: PanelsProps) {
  return (
    <>
      <div className={classes['wideAndSide']}>
        <RequestsChart usage={usage} period={period} height={250} />
        <ProviderHealth status={status} />
      </div>
      <div className={classes['halves']}>
        <GroupChart groupBy="model" period={period} from={from} isReady={usage !== undefined} />
        <GroupChart groupBy="route" period={period} from={from} isReady={usage !== undefined} />
      </div>
      <div className={classes['halves']}>
        <LatestErrors period={period} from={from} />
        <BudgetsPanel />
      </div>
    </>
  )
}
