import { Badge, Text } from '@mantine/core'
import { errorText } from '../../format/error-words.ts'
import { milliseconds } from '../../format/number.ts'
import { CopyText } from '../copy.tsx'
import { StatusBadge } from '../status.tsx'
import { type Lane, pointAt, type Span, type Tick, type WaterfallAttempt, waterfallOf } from './geometry.ts'
import classes from './waterfall.module.css'
import { storyOf } from './words.ts'

export interface WaterfallProps {
  attempts: readonly WaterfallAttempt[]
  /** How long the request took, or has taken so far. */
  elapsedMs: number
  gatewayMs: number
  /** Still running: its attempts are written down when it ends. */
  isRunning?: boolean
  /** Of a stream: when its first content was sent. */
  firstContentMs?: number | null
}

/** The attempts of a request on one time axis from its start: who was asked when, for how long, and why the next was. */
export function Waterfall({
  attempts,
  elapsedMs,
  gatewayMs,
  isRunning = false,
  firstContentMs = null,
}: WaterfallProps) {
  // Without any attempt all of it was the gateway's, which knows its time more finely than the log knows the whole.
  const isAlone = attempts.length === 0 && !isRunning
  const { ticks, lanes, gateway, totalMs } = waterfallOf(attempts, isAlone ? gatewayMs : elapsedMs)
  return (
    <div className={classes['frame']}>
      <Axis ticks={ticks} />
      <ol className={classes['lanes']} aria-label="Attempts">
        <li className={classes['lane']} data-outcome={isRunning ? 'running' : 'gateway'}>
          <span className={classes['label']}>
            <span className={classes['name']}>{isRunning ? 'Running' : 'Gateway'}</span>
          </span>
          <Track ticks={ticks}>
            {(isRunning ? [{ startMs: 0, endMs: totalMs, left: 0, width: 100 }] : gateway).map((span) => (
              <Bar
                key={span.startMs}
                span={span}
                title={`${isRunning ? 'running' : 'the gateway itself'}, ${words(span)}`}
              />
            ))}
          </Track>
          <span className={classes['figure']}>{milliseconds(isRunning ? elapsedMs : gatewayMs)}</span>
        </li>
        {lanes.map((lane, index) => (
          <AttemptLane
            key={lane.number}
            lane={lane}
            next={lanes[index + 1]}
            ticks={ticks}
            firstContent={index === lanes.length - 1 ? pointAt(firstContentMs, totalMs) : null}
          />
        ))}
      </ol>
    </div>
  )
}

function Axis({ ticks }: { ticks: readonly Tick[] }) {
  return (
    <div className={classes['axis']} aria-hidden>
      <div className={classes['scale']}>
        {ticks.map(({ atMs, left, label }) => (
          <span key={atMs} style={{ left: `${left}%` }} data-late={left > 92 || undefined}>
            {label}
          </span>
        ))}
      </div>
    </div>
  )
}

interface AttemptLaneProps {
  lane: Lane
  next: Lane | undefined
  ticks: readonly Tick[]
  firstContent: Span | null
}

function AttemptLane({ lane, next, ticks, firstContent }: AttemptLaneProps) {
  const { attempt, number, outcome, span, wait } = lane
  const name = `${attempt.provider}/${attempt.model}`
  return (
    <li className={classes['lane']} data-outcome={outcome}>
      <span className={classes['label']} title={name}>
        <span className={classes['number']} aria-hidden>
          {number}
        </span>
        <span className={classes['name']}>
          <span className={classes['provider']}>{attempt.provider}/</span>
          {attempt.model}
        </span>
      </span>
      <Track ticks={ticks}>
        {outcome === 'skipped' ? (
          <span className={classes['mark']} style={{ left: `${span.left}%` }} title={`not called, ${words(span)}`} />
        ) : (
          <Bar span={span} title={`${name}, ${words(span)}`} />
        )}
        {firstContent !== null && (
          <span
            className={classes['content']}
            style={{
              left: `${firstContent.left}%`,
              width: `${Math.max(0, span.left + span.width - firstContent.left)}%`,
            }}
            title={`first content after ${milliseconds(firstContent.startMs)}`}
          />
        )}
        {wait !== null && (
          <span
            className={classes['wait']}
            style={place(wait)}
            title={`waited ${milliseconds(wait.endMs - wait.startMs)}`}
          />
        )}
      </Track>
      <span className={classes['figure']}>{outcome === 'skipped' ? '–' : milliseconds(attempt.duration_ms)}</span>
      <Story lane={lane} next={next} firstContent={firstContent} />
    </li>
  )
}

function Story({ lane, next, firstContent }: Omit<AttemptLaneProps, 'ticks'>) {
  const { attempt, outcome, span } = lane
  const asked = outcome === 'skipped' ? undefined : `Asked ${milliseconds(span.startMs)} after the start`
  return (
    <>
      <span className={classes['ending']}>
        <Ending lane={lane} />
        {attempt.code !== null && outcome !== 'left' && <span title={attempt.code}>{errorText(attempt.code)}</span>}
        {attempt.provider_code !== null && (
          <Text component="span" size="xs" c="dimmed" className="mono" title="The provider’s own code">
            {attempt.provider_code}
          </Text>
        )}
      </span>
      <span className={classes['story']}>
        <Text component="span" size="xs" c="dimmed" title={asked}>
          {firstContent !== null && `First content after ${milliseconds(firstContent.startMs)}. `}
          {storyOf(lane, next)}
        </Text>
        {attempt.upstream_request_id !== null && (
          <span className={classes['upstream']} title="The provider’s id for this call, for its support">
            <CopyText value={attempt.upstream_request_id} />
          </span>
        )}
      </span>
    </>
  )
}

function Ending({ lane: { attempt, outcome } }: { lane: Lane }) {
  if (outcome === 'skipped') return <Badge color="gray">skipped</Badge>
  if (outcome === 'left') return <Badge color="gray">left</Badge>
  if (attempt.status === null) return <Badge color="red">no answer</Badge>
  return <StatusBadge status={attempt.status} code={attempt.code} />
}

function Track({ ticks, children }: { ticks: readonly Tick[]; children: React.ReactNode }) {
  return (
    <span className={classes['track']} aria-hidden>
      {ticks.map(({ atMs, left }) => (
        <span key={`line-${atMs}`} className={classes['line']} style={{ left: `${left}%` }} />
      ))}
      {children}
    </span>
  )
}

function Bar({ span, title }: { span: Span; title: string }) {
  return <span className={classes['bar']} style={place(span)} title={title} />
}

function place({ left, width }: Span) {
  // The narrowest bar is three pixels wide: at the very end it must not stick out.
  return { left: `min(${left}%, 100% - 3px)`, width: `${width}%` }
}

function words({ startMs, endMs }: Span): string {
  if (startMs === endMs) return `${milliseconds(startMs)} after the start`
  return `from ${milliseconds(startMs)} to ${milliseconds(endMs)}: ${milliseconds(endMs - startMs)}`
}
