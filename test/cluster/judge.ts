import type { BilledCall } from '../../simulator/bill.ts'
import { checkBill, checkInterruptions, type LoggedRow, namesCalls } from '../crash/judge.ts'
import { picodollars } from '../crash/prices.ts'
import type { Cut } from './front.ts'
import type { Ending, SentCall } from './load.ts'
import type { Kill } from './strike.ts'
import { type ChaosKey, MOST_UPSTREAM_CALLS } from './workload.ts'

/** What the provider saw. The marker is null when the gateway died before the whole request was there. */
export interface UpstreamCall {
  marker: string | null
}

/** What was spent of a hard budget, and held where that is known, at one moment. */
export interface Sample {
  keyId: string
  /** `log`, or the name of the node that was asked. */
  source: string
  spent: bigint
  /** With what is unconfirmed or leased. */
  held: bigint
  /** By the provider, for calls of this key, before the node was asked; null: the log may be behind it. */
  billed: bigint | null
}

export interface Evidence {
  sent: readonly SentCall[]
  upstream: readonly UpstreamCall[]
  rows: readonly LoggedRow[]
  /** Names of the keys by their ids. */
  keys: ReadonlyMap<string, ChaosKey>
  cuts: readonly Cut[]
  kills: readonly Kill[]
  /** Hard budgets in picodollars. */
  limits: ReadonlyMap<ChaosKey, bigint>
  samples: readonly Sample[]
  /** The provider's own: every answer that it produced, whatever became of it. */
  bill: readonly BilledCall[]
  /** Statuses by code, as docs/errors.md has them. */
  documented: ReadonlyMap<string, number>
}

export interface Verdict {
  sent: number
  answered: number
  served: number
  /** Calls answered with 200, of streams to their end, whose row does not say so with the same cost: must be 0. */
  lost: number
  /** Streams whose end the client saw. */
  streamed: number
  /** Streams whose client saw content but no end. */
  cutStreams: number
  upstreamCalls: number
  /** Upstream calls without a row: must be 0. */
  unknown: number
  /** Connections that broke because a node was killed. */
  cut: number
  noNode: number
  interrupted: number
  /** Rows that were never closed: must be 0. */
  open: number
  /** Answers by `status code`. */
  answers: Record<string, number>
  /** `covered`: samples in which more was billed than spent. */
  budgets: { key: ChaosKey; limit: bigint; spent: bigint; most: bigint; samples: number; covered: number }[]
  /** Every broken promise as a sentence. */
  problems: string[]
}

/** Holds the log against what clients, provider and front saw, call by call. */
export function judge(evidence: Evidence): Verdict {
  const { sent, upstream, rows, keys } = evidence
  const problems: string[] = []
  const byId = new Map(rows.map((row) => [row.id, row]))
  if (byId.size !== rows.length) problems.push(`${rows.length - byId.size} ids are in the log twice`)
  const byToken = groupByToken(sent, rows, keys, problems)
  const lost = checkServed(sent, byId, byToken, problems)
  checkRefusals(evidence, byId, problems)
  const cutStreams = checkCutStreams(sent, byToken, problems)
  checkInterruptions(rows, problems)
  checkCuts(evidence, problems)
  const unknown = checkUpstream(sent, upstream, byToken, problems)
  const budgets = checkBudgets(evidence, problems)
  checkBill(evidence.bill, byToken, problems)
  checkFound(sent, problems)
  const open = rows.filter((row) => row.state !== 'closed')
  for (const row of open) problems.push(`${row.id} is still ${row.state}`)
  const endings = sent.map((call) => call.ending)
  const answered = endings.filter((ending) => ending.kind === 'answered')
  return {
    sent: sent.length,
    answered: answered.length,
    served: answered.filter(isServed).length,
    lost,
    streamed: answered.filter((ending) => isServed(ending) && ending.ended !== null).length,
    cutStreams,
    upstreamCalls: upstream.length,
    unknown,
    cut: endings.filter((ending) => ending.kind === 'cut').length,
    noNode: endings.filter((ending) => ending.kind === 'no-node').length,
    interrupted: rows.filter((row) => row.code === 'interrupted').length,
    open: open.length,
    answers: countBy(answered.map(({ status, code }) => `${status} ${code ?? 'ok'}`)),
    budgets,
    problems,
  }
}

/** An error may follow the 200 of a stream. */
export function isServed(ending: Ending): boolean {
  return ending.kind === 'answered' && ending.status === 200 && ending.code === null
}

function groupByToken(
  sent: readonly SentCall[],
  rows: readonly LoggedRow[],
  keys: ReadonlyMap<string, ChaosKey>,
  problems: string[],
): Map<string, LoggedRow> {
  const tokens = new Set(sent.map((call) => call.token))
  const byToken = new Map<string, LoggedRow>()
  const nameless = new Map<ChaosKey | undefined, number>()
  for (const row of rows) {
    const key = keys.get(row.keyId)
    const token = `${key}-${row.requestedModel}`
    if (row.requestedModel === null && row.code === 'interrupted') nameless.set(key, (nameless.get(key) ?? 0) + 1)
    else if (!tokens.has(token)) problems.push(`${row.id} (${token}) is a call that no client made`)
    else if (byToken.has(token)) problems.push(`${token} was sent once and is in the log twice`)
    else byToken.set(token, row)
  }
  for (const [key, count] of nameless) {
    // A node that dies between the counters' yes and its own row leaves a hold, and others know no more of the call.
    const cut = sent.filter((call) => call.key === key && call.ending.kind === 'cut' && !byToken.has(call.token))
    if (count > cut.length)
      problems.push(`${count} rows of ${key} do not say what was called; ${cut.length} calls were cut`)
  }
  return byToken
}

/** The number of calls that were answered with 200 and whose row does not say the same. */
function checkServed(
  sent: readonly SentCall[],
  byId: ReadonlyMap<string, LoggedRow>,
  byToken: ReadonlyMap<string, LoggedRow>,
  problems: string[],
): number {
  let lost = 0
  for (const { token, ending } of sent) {
    if (ending.kind !== 'answered' || !isServed(ending)) continue
    const row = byId.get(ending.id)
    const cost = picodollars(ending.costUsd ?? '0')
    const isSame = row?.state === 'closed' && row.status === 200 && row.ended === ending.ended
    if (isSame && row.costPicodollars === cost && byToken.get(token) === row) continue
    lost++
    const said = row === undefined ? 'is not in the log' : `its row says ${rowText(row)}`
    problems.push(`${token} was answered 200 for ${ending.costUsd} USD as ${ending.id}, but ${said}`)
  }
  return lost
}

function rowText({ state, status, code, requestedModel, ended, costPicodollars }: LoggedRow): string {
  return `${state} ${status} ${code ?? 'ok'} ${ended ?? 'whole'} ${requestedModel} ${costPicodollars ?? 'no'} picodollars`
}

/** Who saw a part of an answer pays, although the end did not come. The number of such calls. */
function checkCutStreams(
  sent: readonly SentCall[],
  byToken: ReadonlyMap<string, LoggedRow>,
  problems: string[],
): number {
  const isCut = ({ ending }: SentCall) =>
    ending.kind === 'cut' ? ending.sawContent : ending.kind === 'answered' && ending.ended === 'failed_mid_stream'
  const cut = sent.filter(isCut)
  for (const { token } of cut) {
    const row = byToken.get(token)
    if (row === undefined) problems.push(`${token} got content and is not in the log`)
    else if (row.ended === null || (row.costPicodollars ?? 0n) <= 0n) {
      problems.push(`${token} got content that is not paid for; its row says ${rowText(row)}`)
    }
  }
  return cut.length
}

/** Refusals that come before there is a call to log. */
const UNLOGGED = ['unauthorized', 'overloaded', 'log_full']
/** The provider may have been paid when the counters stop answering: the row then has more than the caller saw. */
const ROW_KNOWS_MORE = 'limits_unavailable'

/** Other codes are documented too, but no part that is down explains them: keys, routes and provider are there. */
const EXPECTED = ['budget_exceeded', 'key_rate_limited', 'limits_unavailable', 'log_full', 'overloaded']

function checkRefusals({ sent, documented }: Evidence, byId: ReadonlyMap<string, LoggedRow>, problems: string[]): void {
  for (const { token, ending } of sent) {
    if (ending.kind === 'unanswered') problems.push(`${token} got no answer: ${ending.error}`)
    if (ending.kind !== 'answered' || isServed(ending)) continue
    const { status, code, id, ended } = ending
    // The status of a stream was sent before its error.
    if (code === null || (documented.get(code) !== status && ended === null) || !documented.has(code)) {
      problems.push(`${token} was answered ${status} ${code}, which is not documented`)
      continue
    }
    if (!EXPECTED.includes(code)) problems.push(`${token} was answered ${status} ${code}, which nothing excuses: ${id}`)
    const row = byId.get(id)
    if (UNLOGGED.includes(code)) continue
    if (row === undefined) problems.push(`${token} was answered ${status} ${code} as ${id}, which is not in the log`)
    else if (code !== ROW_KNOWS_MORE && (row.status !== status || row.code !== code)) {
      problems.push(`${token} was answered ${status} ${code}, but its row says ${rowText(row)}`)
    }
  }
}

/** A connection may break only because its node was killed while the call ran. */
function checkCuts({ cuts, kills }: Evidence, problems: string[]): void {
  for (const { node, sentAt, cutAt } of cuts) {
    const killed = kills.some((kill) => kill.node === node && kill.at <= cutAt && sentAt <= kill.goneAt)
    if (killed) continue
    const when = `${new Date(cutAt).toISOString()}, ${cutAt - sentAt} ms after it was made`
    problems.push(`node ${node + 1} broke a connection although nobody had killed it: at ${when}`)
  }
}

function checkUpstream(
  sent: readonly SentCall[],
  upstream: readonly UpstreamCall[],
  byToken: ReadonlyMap<string, LoggedRow>,
  problems: string[],
): number {
  const seen = countBy(upstream.flatMap(({ marker }) => marker ?? []))
  const strangers = Object.entries(seen).filter(([token]) => !byToken.has(token))
  for (const [token] of strangers) problems.push(`the provider was called for ${token}, which the log does not know`)
  const torn = upstream.filter(({ marker }) => marker === null).length
  let room = 0
  for (const { token } of sent) {
    const row = byToken.get(token)
    const made = seen[token] ?? 0
    // A finished row names every upstream call it made; an interrupted one leaves room for those it was about to make.
    if (row?.code === 'interrupted') room += MOST_UPSTREAM_CALLS - made
    else if (row !== undefined) {
      room += Math.min(row.lost, row.called - made)
      if (!namesCalls(row, made)) problems.push(`${token} made ${made} upstream calls, and its row names ${row.called}`)
    }
  }
  if (torn > room) problems.push(`${torn} upstream calls were cut off, and interrupted rows explain only ${room}`)
  return strangers.reduce((sum, [, count]) => sum + count, 0) + Math.max(0, torn - room)
}

function checkBudgets({ rows, keys, limits, samples }: Evidence, problems: string[]): Verdict['budgets'] {
  return [...limits].map(([key, limit]) => {
    const costs = rows
      .filter((row) => keys.get(row.keyId) === key)
      .map((row) => (row.costPicodollars ?? 0n) + (row.unconfirmedCounted ?? 0n))
    const spent = costs.reduce((sum, cost) => sum + cost, 0n)
    if (spent > limit) problems.push(`the log of ${key} adds up to ${spent}, more than ${limit}`)
    const own = samples.filter((sample) => keys.get(sample.keyId) === key)
    const over = own.filter((sample) => sample.spent + sample.held > limit)
    const worst = over.toSorted((a, b) => (a.spent + a.held > b.spent + b.held ? -1 : 1))[0]
    if (worst !== undefined) {
      const { source, spent: was, held } = worst
      problems.push(`${over.length} samples of ${key} are over ${limit}; ${source} said ${was} spent and ${held} held`)
    }
    const below = own.filter((sample) => sample.spent + sample.held < (sample.billed ?? 0n))
    for (const { source, billed, spent: was, held } of below.slice(0, 1)) {
      const told = `${source} said ${was} spent and ${held} held where ${billed} were billed`
      problems.push(`${below.length} samples of ${key} count less than the provider: ${told}`)
    }
    const covered = own.filter((sample) => sample.spent < (sample.billed ?? 0n)).length
    const most = own.reduce((most, sample) => (sample.spent > most ? sample.spent : most), 0n)
    return { key, limit, spent, most, samples: own.length, covered }
  })
}

/** Of the calls, so many must have found a node. */
const FOUND_SHARE = 1 / 3

/** On a machine that is too busy nodes spend the run starting: nothing is broken then, and nothing proved. */
function checkFound(sent: readonly SentCall[], problems: string[]): void {
  const found = sent.filter(({ ending }) => ending.kind !== 'no-node').length
  if (found >= FOUND_SHARE * sent.length) return
  problems.push(`only ${found} of ${sent.length} calls found a node: the run proves nothing, the machine is too busy`)
}

function countBy(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1
  return counts
}
