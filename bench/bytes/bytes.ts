import { join } from 'node:path'
import { contentsBody, requestBody, responsesBody } from '../load/bodies.ts'
import { STREAMING } from '../parts/streams.ts'
import { fixed, tableText } from '../report/table.ts'
import { askProbe } from '../run/ask-probe.ts'
import { type Build, startGateway } from '../run/gateway.ts'
import { UNPINNED } from '../run/pinning.ts'
import { CHAT_PATH, createScene } from '../run/scene.ts'
import { type Calls, createLockstep } from './lockstep.ts'

const EVENTS = 100
type Scenario = Omit<Calls, 'url' | 'headers'>
const whole = (path: string, body: string): Scenario => ({ path, body, isStream: false })

export const SCENARIOS = {
  'chat, OpenAI family': whole(CHAT_PATH, requestBody('bench-openai')),
  'chat, Anthropic family': whole(CHAT_PATH, requestBody('bench-anthropic')),
  'Messages, verbatim': whole('/v1/messages', requestBody('bench-anthropic')),
  'Responses, verbatim': whole('/v1/responses', responsesBody('bench-responses')),
  'Gemini, verbatim': whole('/v1beta/models/bench-gemini:generateContent', contentsBody()),
  'chat, a stream of 100 events': { path: CHAT_PATH, body: requestBody('bench-openai', true), isStream: true },
} as const satisfies Readonly<Record<string, Scenario>>
export type ScenarioName = keyof typeof SCENARIOS
export const SCENARIO_NAMES = Object.keys(SCENARIOS) as ScenarioName[]
/** Bytes a call; null where a build does not answer. */
export type Figures = Record<ScenarioName, number | null>

/** `flags` for Node. A stream counts as ten calls. */
export interface Mode {
  flags: readonly string[]
  warmUp: number
  calls: number
}
/**
 * What is allocated as the code is written. V8's optimizing compilers remove some of it, at moments that depend on the
 * machine; without them runs differ by some tenths of a percent, and a few calls are enough.
 */
export const GATE: Mode = { flags: ['--no-opt', '--no-maglev'], warmUp: 200, calls: 500 }
/** What is left of it after a minute under load. */
export const OPTIMIZED: Mode = { flags: [], warmUp: 10_000, calls: 1_000 }

const TRIES = 3

/** Measures up to three times, until `isDone` accepts the lowest figures: other load may have disturbed one run. */
export async function measureBytes(
  build: Build,
  mode: Mode,
  isDone: (least: Figures) => boolean = () => false,
): Promise<Figures> {
  await using scene = createScene(UNPINNED)
  using lockstep = await createLockstep(EVENTS)
  const report = join(scene.folder, 'report')
  const nodeFlags = ['--import', join(import.meta.dirname, 'probe.ts'), ...mode.flags]
  const env = { ...STREAMING, BENCH_BYTES_REPORT: report }
  const options = { upstream: lockstep.upstream, build, nodeFlags, env }
  // An older build refuses settings that it does not know.
  const gateway = await startGateway(scene, { ...options, withFamilies: true }).catch(() =>
    startGateway(scene, options),
  )
  const { pid, ready: url } = gateway.running
  const { headers } = gateway.target('openai')
  const call = (name: ScenarioName, calls: number) => {
    const scenario = SCENARIOS[name]
    return lockstep.call({ url, headers, ...scenario }, scenario.isStream ? calls / 10 : calls)
  }

  const least = Object.fromEntries(SCENARIO_NAMES.map((name) => [name, null])) as Figures
  const answered: ScenarioName[] = []
  for (const name of SCENARIO_NAMES)
    await call(name, mode.warmUp).then(
      () => answered.push(name),
      () => {},
    )
  for (let attempt = 0; attempt < TRIES && (attempt === 0 || !isDone(least)); attempt++) {
    for (const name of answered) {
      await askProbe(pid, report)
      await call(name, mode.calls)
      const bytes = (await askProbe(pid, report)) / (SCENARIOS[name].isStream ? mode.calls / 10 : mode.calls)
      least[name] = Math.round(Math.min(bytes, least[name] ?? Number.POSITIVE_INFINITY))
    }
  }
  return least
}

/** A column for each build and mode. */
export function bytesText(columns: readonly { name: string; figures: Figures }[]): string {
  const rows = SCENARIO_NAMES.map((scenario) => [
    scenario,
    ...columns.map(({ figures }) => fixed(figures[scenario], 0)),
  ])
  return `Bytes that the serving thread allocates for a call\n\n${tableText([['', ...columns.map(({ name }) => name)], ...rows])}`
}
