import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createRandom, type Random } from '../../simulator/random.ts'
import { type Simulator, startSimulator } from '../../simulator/simulator.ts'
import { PROGRAM } from '../built-program.ts'
import { killAndWait, launch, type ProcessOptions, startProcess } from '../child-process.ts'
import { COMPILE_CACHE } from '../compile-cache.ts'
import { type Json, until } from '../harness.ts'
import { startPostgres } from '../postgres.ts'
import { hasLeft, startClients } from './clients.ts'
import { type BudgetSample, judge, type SentCall, type Verdict } from './judge.ts'
import { KEY_VALUES, type KeyName, type PlannedCall, planRound } from './plan.ts'
import { billOf, picodollars } from './prices.ts'
import { readLog } from './read-log.ts'

export interface CrashOptions {
  rounds: number
  seed: number
  /** Clients with one call in flight each. */
  concurrency: number
  engine: 'sqlite' | 'postgres'
  /** That serve; 1 by default. */
  threads?: number
  onRound?(round: RoundReport): void
}

export interface RoundReport {
  round: number
  loadMs: number
  answered: number
  cutOff: number
  /** The start before this round's was killed half-way. */
  killedAtStart: boolean
}

export interface CrashReport extends Verdict {
  rounds: number
  kills: number
}

/** There may be more threads than this machine has cores. */
const MORE_CORES = join(import.meta.dirname, '../more-cores.ts')
const ADMIN_KEY = 'gw_admin_crash00000000000000000000000000'
const SHORTEST_LOAD_MS = 50
const LONGEST_LOAD_MS = 400
/** Every fourth round lasts longer: a warm process folds, trims and checkpoints, and may be killed in the middle of it. */
const LONG_ROUND = 4
const LONG_LOAD_MS = 2_000
/** One round lasts until something of everything has happened, however busy the machine is. */
const FULL_ROUND = 2
/** One start in four is killed too: putting the past in order must itself survive being cut off. */
const START_KILLS = 0.25
const LONGEST_START_MS = 700

/**
 * Kills the gateway under load, again and again on the same data, then starts it once more, stops it in peace and
 * compares its log with what clients and provider saw.
 */
export async function crashTest(options: CrashOptions): Promise<CrashReport> {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-crash-'))
  const simulator = await startSimulator({ keepCalls: Number.MAX_SAFE_INTEGER })
  const server = options.engine === 'postgres' ? await startPostgres() : null
  try {
    const databaseUrl = server === null ? null : await server.createDatabase()
    const gateway = gatewayProcess(folder, simulator, databaseUrl, options.threads ?? 1)
    // The same seed plans the same run, although when a kill strikes is never the same twice.
    const random = createRandom(options.seed)
    const sent: SentCall[] = []
    const budget: BudgetSample[] = []
    const keys = new Map<string | null, KeyName>()
    const billed = (key: KeyName) => billOf(simulator.bill.filter(({ marker }) => keys.get(marker) === key))
    let kills = 0
    for (let round = 1; round <= options.rounds; round++) {
      const { report, calls, samples } = await runRound({
        ...{ ...options, round, random, gateway, folder, simulator, billed },
        onPlan: ({ key, token }) => keys.set(token, key),
      })
      sent.push(...calls)
      budget.push(...samples)
      kills += report.killedAtStart ? 2 : 1
      options.onRound?.(report)
    }
    const { exitCode, samples, differences } = await startAndStop(gateway, billed)
    budget.push(...samples)
    const { rows, leftBehind } = await readLog([join(folder, 'data')], databaseUrl)
    const upstream = simulator.calls.filter((call) => call.method === 'POST')
    const verdict = judge({ sent, upstream, rows, budget, bill: simulator.bill })
    if (exitCode !== 0) verdict.problems.push(`the last, peaceful stop ended with ${exitCode}`)
    for (const difference of differences) verdict.problems.push(`the gateway finds ${JSON.stringify(difference)}`)
    if (leftBehind > 0) verdict.problems.push(`${leftBehind} spooled rows did not reach the log`)
    return { rounds: options.rounds, kills, ...verdict }
  } finally {
    await simulator.close()
    await server?.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** By the provider so far, for calls of this key. */
type Billed = (key: KeyName) => bigint

interface Round {
  round: number
  random: Random
  concurrency: number
  gateway: ProcessOptions
  folder: string
  simulator: Simulator
  billed: Billed
  onPlan(call: PlannedCall): void
}

async function runRound({ round, random, concurrency, gateway, folder, simulator, billed, onPlan }: Round) {
  const plan = planRound(round, random)
  writeFileSync(configPath(folder), plan.config)
  const killedAtStart = random() < START_KILLS
  if (killedAtStart) {
    const half = launch(gateway)
    await sleep(random() * LONGEST_START_MS)
    await killAndWait(half)
  }
  const running = await startProcess(gateway)
  const samples = await readBudget(running.ready, billed)
  const next = () => {
    const call = plan.next()
    onPlan(call)
    return call
  }
  const clients = startClients({ url: running.ready, concurrency, next })
  const longestMs = round % LONG_ROUND === 0 ? LONG_LOAD_MS : LONGEST_LOAD_MS
  const loadMs = Math.round(SHORTEST_LOAD_MS + random() * (longestMs - SHORTEST_LOAD_MS))
  // On a busy machine a process may be killed before it has answered any call: worth seeing, but not in every round.
  if (round % 2 === 0) await Promise.race([clients.firstAnswer, clients.done])
  if (round === FULL_ROUND) await Promise.race([clients.allSeen, clients.done])
  await sleep(loadMs / 2)
  // Not awaited: the kill comes at its own time.
  const underLoad = readBudget(running.ready, billed).catch(() => [])
  await sleep(loadMs / 2)
  if (round === FULL_ROUND) await until(() => isHedgeOpen(clients.open, simulator), 'both entries of a hedge run')
  await running.kill()
  samples.push(...(await underLoad))
  const calls = await clients.done
  const answered = calls.filter((call) => call.answer !== null).length
  // Who has left with a part of the answer was not cut off.
  const cutOff = calls.filter((call) => call.answer === null && !hasLeft(call)).length
  return { calls, samples, report: { round, loadMs, answered, cutOff, killedAtStart } }
}

/** Of a call that waits for its answer, two entries have been asked. */
function isHedgeOpen(open: ReadonlySet<PlannedCall>, simulator: Simulator): boolean {
  const asked = (token: string) => simulator.calls.filter(({ marker }) => marker === token).length
  return [...open].some(({ isHedged, token }) => isHedged && asked(token) === 2)
}

/** The log is in order once the gateway takes calls; a peaceful stop then leaves nothing in the spool. */
async function startAndStop(gateway: ProcessOptions, billed: Billed) {
  const running = await startProcess(gateway)
  const { status } = await fetch(`${running.ready}/readyz`)
  if (status !== 200) throw new Error(`/readyz answered ${status} after the last start`)
  const samples = await readBudget(running.ready, billed)
  const { differences, rows } = await manage(running.ready, 'POST', '/verify')
  return { exitCode: await running.stop(), samples, differences: [...differences, ...rows.differences] as unknown[] }
}

/** What the gateway says of keys with budgets. The bill first: the budgets must count all of it. */
async function readBudget(url: string, billed: Billed): Promise<BudgetSample[]> {
  const bill = { free: 0n, tight: billed('tight'), whole: billed('whole') }
  const { data } = await manage(url, 'GET', '/budgets')
  return data.map(({ id, name, periods: { total } }: Json) => ({
    keyId: id,
    limit: picodollars(total.limit_usd),
    spent: picodollars(total.spent_usd),
    unconfirmed: picodollars(total.unconfirmed_usd),
    held: picodollars(total.held_usd),
    billed: bill[name as KeyName],
  }))
}

async function manage(url: string, method: string, path: string): Promise<Json> {
  const response = await fetch(url + path, { method, headers: { authorization: `Bearer ${ADMIN_KEY}` } })
  if (response.status !== 200) throw new Error(`${method} ${path} answered ${response.status}`)
  return await response.json()
}

function configPath(folder: string): string {
  return join(folder, 'switchyard.yaml')
}

function gatewayProcess(
  folder: string,
  simulator: Simulator,
  databaseUrl: string | null,
  threads: number,
): ProcessOptions {
  return {
    command: process.execPath,
    args: [`--import=${MORE_CORES}`, PROGRAM, 'serve'],
    readyWhen: /serves on (http:\S+)/,
    env: {
      ...COMPILE_CACHE,
      PORT: '0',
      SERVING_THREADS: String(threads),
      // Models made up for one call have no price, which would fill the log with warnings.
      LOG_LEVEL: 'error',
      OVERLOAD_MS: '0',
      DATA_DIR: join(folder, 'data'),
      SWITCHYARD_CONFIG: configPath(folder),
      GATEWAY_KEY: KEY_VALUES.free,
      ADMIN_KEY,
      STREAMING: 'on',
      OPENAI_API_KEY: 'sk-crash-openai',
      OPENAI_BASE_URL: simulator.openaiUrl,
      // A question whether it speaks Responses is no call: none is cut off with one.
      OPENAI_SPEAKS: 'chat',
      ANTHROPIC_API_KEY: 'sk-ant-crash',
      ANTHROPIC_BASE_URL: simulator.anthropicUrl,
      ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }),
    },
  }
}
