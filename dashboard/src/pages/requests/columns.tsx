import { Text, VisuallyHidden } from '@mantine/core'
import { AudioLines, DatabaseZap, Repeat, Split, Unplug } from 'lucide-react'
import { Link } from 'wouter'
import type { Column } from '../../components/data-table.tsx'
import { Money } from '../../components/money.tsx'
import { StatusBadge } from '../../components/status.tsx'
import { errorText } from '../../format/error-words.ts'
import { loopText } from '../../format/loop-signals.ts'
import { count, milliseconds } from '../../format/number.ts'
import { utcTime } from '../../format/time.ts'
import { endingText } from './filters.ts'
import { durationOf, durationText, endingOf, momentParts, reasonText } from './request-words.ts'
import classes from './requests.module.css'
import type { ListedRequest } from './use-requests.ts'

/** Say nothing of why a call failed, and make room for that. */
const NOT_OF_FAILURES: ReadonlySet<string> = new Set(['attempts', 'latency', 'gateway', 'in', 'out', 'cost'])

/** `hrefOf` keeps the filters in the address of an opened request. A list of failures says why each failed. */
export function requestColumns(hrefOf: (id: string) => string, isOfFailures: boolean): Column<ListedRequest>[] {
  const columns = allColumns(hrefOf)
  if (!isOfFailures) return columns
  return [
    ...columns.filter(({ name }) => !NOT_OF_FAILURES.has(name)),
    { name: 'reason', title: 'Why it failed', cell: (row) => <Reason row={row} /> },
  ]
}

function allColumns(hrefOf: (id: string) => string): Column<ListedRequest>[] {
  return [
    { name: 'time', title: 'Time', sortable: true, cell: (row) => <StartedAt row={row} href={hrefOf(row.id)} /> },
    { name: 'status', title: 'Status', cell: (row) => <Ending row={row} /> },
    { name: 'model', title: 'Asked for → served by', cell: (row) => <Served row={row} /> },
    { name: 'key', title: 'Key', cell: (row) => <KeyName row={row} />, wideOnly: true },
    { name: 'attempts', title: 'Attempts', figures: true, cell: (row) => <Attempts row={row} />, wideOnly: true },
    {
      name: 'duration',
      title: 'Duration',
      figures: true,
      sortable: true,
      cell: (row) => durationText(durationOf(row)),
    },
    {
      name: 'latency',
      title: 'Provider',
      figures: true,
      cell: (row) => (
        <span className="above-row" title="Duration of the attempt that served the call">
          {milliseconds(row.latency_ms)}
        </span>
      ),
      wideOnly: true,
      leftOut: 'first',
    },
    {
      name: 'gateway',
      title: 'Gateway',
      figures: true,
      cell: (row) => (
        <span className="above-row" title="Time spent in the gateway itself">
          {row.state === 'open' ? '–' : milliseconds(row.gateway_ms)}
        </span>
      ),
      wideOnly: true,
      leftOut: 'second',
    },
    {
      name: 'in',
      title: 'Tokens in',
      figures: true,
      cell: ({ usage }) => tokens(usage?.prompt_tokens),
      wideOnly: true,
      leftOut: 'third',
    },
    {
      name: 'out',
      title: 'Out',
      figures: true,
      cell: ({ usage }) => tokens(usage?.completion_tokens),
      wideOnly: true,
      leftOut: 'third',
    },
    { name: 'cost', title: 'Cost', figures: true, cell: (row) => <Cost row={row} /> },
  ]
}

function tokens(value: number | undefined): string {
  return value === undefined ? '–' : count(value)
}

function StartedAt({ row, href }: { row: ListedRequest; href: string }) {
  const { day, clock } = momentParts(row.started_at)
  return (
    <Link href={href} className="row-link figures" data-request={row.id}>
      <time dateTime={row.started_at} title={utcTime(row.started_at)} className="above-row">
        <span className={classes['day']}>{day}</span> {clock}
      </time>
    </Link>
  )
}

function Ending({ row }: { row: ListedRequest }) {
  return (
    <span className={classes['ending']}>
      <StatusBadge status={row.status} code={row.code} />
      {row.code !== null && row.code !== 'interrupted' && (
        <span
          className={`above-row ${classes['code']}`}
          title={`${row.code}: ${reasonText(row) ?? endingOf(row).title}`}
        >
          {errorText(row.code)}
          <Detail row={row} />
        </span>
      )}
      {row.streamed && <Streamed row={row} />}
      {row.cache === 'hit' && <FromCache />}
      {row.loop !== null && <Looping signals={row.loop} />}
    </span>
  )
}

function FromCache() {
  const title = 'Answered from the response cache of its route'
  return (
    <span className={`above-row ${classes['streamed']}`} title={title}>
      <DatabaseZap size={14} aria-hidden />
      <VisuallyHidden>{title}</VisuallyHidden>
    </span>
  )
}

function Looping({ signals }: { signals: string }) {
  const title = `Looks like a loop: ${loopText(signals)}`
  return (
    <span className={`above-row ${classes['looping']}`} title={title}>
      <Repeat size={14} aria-hidden />
      <VisuallyHidden>{title}</VisuallyHidden>
    </span>
  )
}

function Reason({ row }: { row: ListedRequest }) {
  const why = reasonText(row) ?? endingOf(row).title
  return (
    <span className={`above-row ${classes['reason']}`} title={why}>
      {why}
    </span>
  )
}

/** What tells failures of one code apart; the reason in full is where the pointer rests. */
function Detail({ row }: { row: ListedRequest }) {
  const detail = row.param ?? (row.code === 'rate_limited' ? null : row.provider_code)
  if (detail === null || detail === row.code) return null
  return <span className={classes['quiet']}> {detail}</span>
}

/** That it was a stream, and how it went. */
function Streamed({ row }: { row: ListedRequest }) {
  const { ended, first_content_ms: first } = row
  const isCut = ended !== null && ended !== 'finished'
  const Icon = isCut ? Unplug : AudioLines
  const parts = [
    ended === null ? 'a stream' : `a stream: ${endingText(ended)}`,
    ...(first === null ? [] : [`first content after ${milliseconds(first)}`]),
  ]
  const title = parts.join(', ')
  return (
    <span
      className={`above-row ${classes['streamed']}`}
      title={title}
      data-bad={ended === 'failed_mid_stream' || ended === 'interrupted' || undefined}
    >
      <Icon size={14} aria-hidden />
      <VisuallyHidden>{title}</VisuallyHidden>
    </span>
  )
}

/** The alias and who served it; of a direct id the two are the same. */
function Served({ row }: { row: ListedRequest }) {
  const { route, requested_model: requested, provider, model } = row
  const served = provider === null ? null : `${provider}/${model}`
  const asked = requested ?? 'no model'
  const isSame = route === null && requested === model && served !== null
  return (
    <span
      className={`above-row ${classes['served']}`}
      title={served === null ? asked : isSame ? served : `${asked} → ${served}`}
    >
      {isSame ? (
        <>
          <span className={classes['quiet']}>{provider}/</span>
          {model}
        </>
      ) : (
        <>
          {requested ?? <span className={classes['quiet']}>no model</span>}
          {served !== null && <span className={classes['quiet']}> → {served}</span>}
        </>
      )}
    </span>
  )
}

function KeyName({ row }: { row: ListedRequest }) {
  return (
    <span
      className={`above-row ${classes['key']}`}
      title={`${row.key_name ?? 'a key that is gone'} (${row.key_id})${row.user === null ? '' : `, for ${row.user}`}`}
    >
      {row.key_name ?? row.key_id}
    </span>
  )
}

function Attempts({ row }: { row: ListedRequest }) {
  return (
    <span className={classes['attempts']}>
      {row.fallback && (
        <span
          title="Served by a fallback, not the first entry of the chain"
          className={`above-row ${classes['fallback']}`}
        >
          <Split size={14} aria-hidden />
          <VisuallyHidden>fallback</VisuallyHidden>
        </span>
      )}
      {row.state === 'open' ? '–' : row.attempt_count}
    </span>
  )
}

function Cost({ row }: { row: ListedRequest }) {
  if (row.cost_usd !== null || row.usage === null) {
    return (
      <span className="above-row">
        <Money usd={row.cost_usd} column />
      </span>
    )
  }
  return (
    <Text
      component="span"
      className="above-row"
      size="xs"
      c="var(--warn)"
      title="This model had no price when it was called"
    >
      unpriced
    </Text>
  )
}
