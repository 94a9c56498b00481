import { LOOP_ACTIONS, LOOP_SIGNALS, type LoopSignal } from '../../domain/loops/signals.ts'
import type { AnyInput } from '../api-client.ts'
import { CliError } from '../cli-error.ts'
import { type Given, type OptionSpec, texts } from '../command.ts'

/** The figures of each signal, in the order in which they are written; those in brackets may be left out. */
const FIGURES: Readonly<Record<LoopSignal, readonly string[]>> = {
  same_tool_call: ['times'],
  calls_a_minute: ['calls'],
  context_growth: ['calls', '[tokens]'],
  spend_times_usual: ['times', 'usd'],
}
const TIMES = ['slow_seconds', 'stop_minutes'] as const

/** When sessions of a workspace count as loops; what they set together is the body's `loops`. */
export const LOOP_OPTIONS: Readonly<Record<string, OptionSpec>> = {
  loop: {
    type: 'string',
    multiple: true,
    placeholder: 'SIGNAL=FIGURES[:ACTION]',
    help: `Watch sessions for loops: ${LOOP_SIGNALS.map((signal) => `${signal}=${form(signal)}`).join(', ')}, each with :${LOOP_ACTIONS.join(' or :')}; ${TIMES.join('=N, ')}=N; SIGNAL=null removes one, null all`,
  },
}

type Loops = Record<string, unknown>

/** For a new workspace. */
export const withNewLoops = (given: Given, input: AnyInput) => withLoops(given, input, async () => null)

/** The API replaces the settings as a whole, and one option must not take away what others set before. */
export const withWorkspaceLoops = (given: Given, input: AnyInput) =>
  withLoops(given, input, async () => {
    const [name = ''] = given.positionals
    return (await given.client.call('workspaces.get', { params: { name } })).loops as Loops | null
  })

async function withLoops(given: Given, input: AnyInput, present: () => Promise<Loops | null>): Promise<AnyInput> {
  const changes = texts(given, 'loop').map(changeOf)
  if (changes.length === 0) return input
  const body = input.body as { loops?: Loops | null }
  let loops = { ...(body.loops === undefined ? await present() : body.loops) }
  for (const change of changes) loops = change === null ? {} : merged(loops, change)
  const kept = Object.entries(loops).filter(([, value]) => value !== null)
  const isWatching = kept.some(([name]) => LOOP_SIGNALS.some((signal) => signal === name))
  const takesAway = changes.every((change) => change === null || Object.values(change).every((value) => value === null))
  return { ...input, body: { ...body, loops: takesAway && !isWatching ? null : Object.fromEntries(kept) } }
}

/** A signal keeps what is not named: its action, for one. */
function merged(loops: Loops, change: Loops): Loops {
  const [[name, value] = ['', null]] = Object.entries(change)
  const isSignal = typeof value === 'object' && value !== null
  return { ...loops, [name]: isSignal ? { ...(loops[name] as object | null), ...value } : value }
}

/** Null: nothing is watched from there on. */
function changeOf(written: string): Loops | null {
  if (written === 'null') return null
  const [, name = '', value = '', action] = /^(\w+)=([^:]*)(?::(.*))?$/s.exec(written) ?? []
  const signal = LOOP_SIGNALS.find((each) => each === name)
  if (TIMES.some((each) => each === name) && action === undefined) return { [name]: figureOf(value, written) }
  if (signal === undefined) throw wrong(written, `SIGNAL is one of ${LOOP_SIGNALS.join(', ')}`)
  if (value === 'null' && action === undefined) return { [signal]: null }
  if (action !== undefined && !LOOP_ACTIONS.some((each) => each === action)) {
    throw wrong(written, `ACTION is one of ${LOOP_ACTIONS.join(', ')}`)
  }
  const figures = value.split('/').map((figure) => figureOf(figure, written))
  const names = FIGURES[signal]
  const least = names.filter((each) => !each.startsWith('[')).length
  if (figures.length < least || figures.length > names.length) throw wrong(written, `${signal}=${form(signal)}`)
  const named = figures.map((figure, place) => [names[place]?.replace(/[[\]]/g, ''), figure])
  return { [signal]: { ...Object.fromEntries(named), ...(action !== undefined && { action }) } }
}

function figureOf(text: string, written: string): number {
  if (/^\d{1,9}(\.\d+)?$/.test(text)) return Number(text)
  throw wrong(written, `'${text}' is no figure`)
}

/** `CALLS[/TOKENS]` */
function form(signal: LoopSignal): string {
  return FIGURES[signal].reduce((sofar, name) => {
    const word = name.toUpperCase()
    if (sofar === '') return word
    return word.startsWith('[') ? `${sofar}[/${word.slice(1)}` : `${sofar}/${word}`
  }, '')
}

function wrong(written: string, what: string): CliError {
  return new CliError(`--loop: ${what}; not '${written}'`, 2)
}
