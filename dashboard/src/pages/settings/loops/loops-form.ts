import type { LoopSignal } from '../../../format/loop-signals.ts'
import type { Workspace } from '../workspace.ts'

type LoopSettings = NonNullable<Workspace['loops']>
type LoopAction = NonNullable<LoopSettings[LoopSignal]>['action']

/** A threshold, with the bounds of src/domain/loops/settings.ts; a test holds both together. */
export interface Threshold {
  name: string
  label: string
  min: number
  max: number
  initial: number
  isMoney?: boolean
}

interface SignalFields {
  signal: LoopSignal
  title: string
  description: string
  thresholds: readonly Threshold[]
}

export const SIGNALS: readonly SignalFields[] = [
  {
    signal: 'same_tool_call',
    title: 'Same tool call repeated',
    description: 'Same tool and same arguments, among the last 64 tool calls of a conversation',
    thresholds: [{ name: 'times', label: 'Times', min: 2, max: 64, initial: 8 }],
  },
  {
    signal: 'calls_a_minute',
    title: 'Many calls a minute',
    description: 'A session makes more calls than this within a minute',
    thresholds: [{ name: 'calls', label: 'Calls', min: 1, max: 100_000, initial: 60 }],
  },
  {
    signal: 'context_growth',
    title: 'Context keeps growing',
    description: 'Calls in a row, each with more input than the one before and almost none of it from the cache',
    thresholds: [
      { name: 'calls', label: 'Calls in a row', min: 2, max: 1_000, initial: 12 },
      { name: 'tokens', label: 'Input tokens, at least', min: 0, max: 10_000_000, initial: 20_000 },
    ],
  },
  {
    signal: 'spend_times_usual',
    title: 'Spends more than usual',
    description: 'Within a minute, compared with the other sessions of the key. Both must be exceeded.',
    thresholds: [
      { name: 'times', label: 'Times the usual spend', min: 1.1, max: 1_000, initial: 5 },
      { name: 'usd', label: 'Amount', min: 0.01, max: 1_000_000, initial: 2, isMoney: true },
    ],
  },
]

export const SLOW_SECONDS = {
  name: 'slow_seconds',
  label: 'Seconds between slowed calls',
  min: 1,
  max: 60,
  initial: 10,
}
export const STOP_MINUTES = { name: 'stop_minutes', label: 'Minutes a stop lasts', min: 1, max: 1_440, initial: 30 }

export interface SignalForm {
  /** Empty: this signal is not watched. */
  action: LoopAction | ''
  thresholds: Record<string, number | string>
}

/** When sessions count as loops, as a form holds it. */
export interface LoopsForm {
  isOn: boolean
  signals: Record<LoopSignal, SignalForm>
  slowSeconds: number | string
  stopMinutes: number | string
}

/** Switched on for the first time, it alerts on every signal and stops nothing. */
export function loopsForm(loops: Workspace['loops']): LoopsForm {
  const signals = SIGNALS.map(({ signal, thresholds }) => {
    const stored = loops?.[signal] as (Record<string, number> & { action: LoopAction }) | undefined
    const values = thresholds.map(({ name, initial }) => [name, stored?.[name] ?? initial])
    return [
      signal,
      { action: loops === null ? 'alert' : (stored?.action ?? ''), thresholds: Object.fromEntries(values) },
    ]
  })
  return {
    isOn: loops !== null,
    signals: Object.fromEntries(signals) as LoopsForm['signals'],
    slowSeconds: loops?.slow_seconds ?? SLOW_SECONDS.initial,
    stopMinutes: loops?.stop_minutes ?? STOP_MINUTES.initial,
  }
}

export function loopsOf({ isOn, signals, slowSeconds, stopMinutes }: LoopsForm): Workspace['loops'] {
  if (!isOn) return null
  const watched = SIGNALS.filter(({ signal }) => signals[signal].action !== '').map(({ signal }) => {
    const { action, thresholds } = signals[signal]
    const numbers = Object.entries(thresholds).map(([name, value]) => [name, Number(value)])
    return [signal, { ...Object.fromEntries(numbers), action }]
  })
  const rest = { slow_seconds: Number(slowSeconds), stop_minutes: Number(stopMinutes) }
  return { ...Object.fromEntries(watched), ...rest } as LoopSettings
}

export function isWatched({ signals }: LoopsForm): boolean {
  return SIGNALS.some(({ signal }) => signals[signal].action !== '')
}

/** Whether some signal does this. */
export function does({ signals }: LoopsForm, action: LoopAction): boolean {
  return SIGNALS.some(({ signal }) => signals[signal].action === action)
}

export function isWithin({ min, max }: Threshold, value: number | string): boolean {
  return value !== '' && Number(value) >= min && Number(value) <= max
}

export function isLoopsWhole(form: LoopsForm): boolean {
  if (!form.isOn) return true
  return (
    isWatched(form) &&
    isWithin(SLOW_SECONDS, form.slowSeconds) &&
    isWithin(STOP_MINUTES, form.stopMinutes) &&
    SIGNALS.every(({ signal, thresholds: fields }) => {
      const { action, thresholds } = form.signals[signal]
      return action === '' || fields.every((field) => isWithin(field, thresholds[field.name] ?? ''))
    })
  )
}
