import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Figures, SCENARIO_NAMES, type ScenarioName } from './bytes.ts'

/** bench/bytes/recorded.json. */
export interface Recorded {
  how: string
  /** Another V8 may allocate more or less. */
  node: string
  bytesPerCall: Record<ScenarioName, number>
  /** Why a figure was allowed to rise. */
  reasons: Partial<Record<ScenarioName, string>>
}

const FILE = join(import.meta.dirname, 'recorded.json')
const COMMAND = 'npm run bench -- --bytes'
/** Ten times what runs of one build differ by. */
const TOLERANCE = 0.05

export function readRecorded(): Recorded {
  return JSON.parse(readFileSync(FILE, 'utf8')) as Recorded
}

export function writeRecorded(recorded: Recorded): void {
  writeFileSync(FILE, `${JSON.stringify(recorded, null, 2)}\n`)
}

/** A call that is not answered has no figure, and has risen without bound. */
const bytesOf = (figures: Figures, name: ScenarioName) => figures[name] ?? Number.POSITIVE_INFINITY

export function risen(measured: Figures, { bytesPerCall }: Recorded): ScenarioName[] {
  return SCENARIO_NAMES.filter((name) => bytesOf(measured, name) > bytesPerCall[name] * (1 + TOLERANCE))
}

/** One message for each figure that is not the recorded one. */
export function problemsOf(measured: Figures, recorded: Recorded): string[] {
  const { bytesPerCall, node } = recorded
  const against = (name: ScenarioName) =>
    `${name}: ${measured[name] ?? 'no'} bytes a call; recorded with Node ${node}: ${bytesPerCall[name]}`
  const fallen = SCENARIO_NAMES.filter((name) => bytesOf(measured, name) < bytesPerCall[name] * (1 - TOLERANCE))
  return [
    ...risen(measured, recorded).map(
      (name) =>
        `${against(name)}, and 5 % more is the limit. Look for spreads, closures and async functions that were added to ` +
        `the path of a call. If it is worth it: ${COMMAND} --record --because "the reason".`,
    ),
    ...fallen.map(
      (name) => `${against(name)}. Well done: record the new figure, so that it stays: ${COMMAND} --record.`,
    ),
  ]
}

/** Figures only fall, unless there is a reason. */
export function nextRecord(measured: Figures, recorded: Recorded, because?: string): Recorded {
  const higher = risen(measured, recorded)
  if (higher.length > 0 && because === undefined)
    throw new Error(`${higher.join('; ')}: more than recorded. Give a reason: --because "…"`)
  const bytesPerCall = { ...recorded.bytesPerCall }
  const reasons = { ...recorded.reasons }
  for (const name of SCENARIO_NAMES) {
    const isHigher = higher.includes(name)
    bytesPerCall[name] = isHigher ? bytesOf(measured, name) : Math.min(bytesPerCall[name], bytesOf(measured, name))
    if (isHigher && because !== undefined) reasons[name] = because
  }
  return { how: `${COMMAND} --record`, node: process.version, bytesPerCall, reasons }
}
