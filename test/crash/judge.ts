import type { BilledCall } from '../../simulator/bill.ts'
import { type PlannedCall, tokenOfModel } from './plan.ts'
import { billOf, picodollars } from './prices.ts'

/** What a client knows of its call. */
export interface SentCall extends PlannedCall {
  /** A whole answer, or a stream to its end; null: the connection died first, or the client left. */
  answer: {
    id: string
    status: number
    /** Of a stream: whether it ended as its format does, or with an error. */
    ended: 'finished' | 'failed_mid_stream' | null
    /** As the gateway said; null: it did not. */
    costUsd: string | null
  } | null
  /** Of a stream, whether its end was seen or not. */
  sawContent: boolean
}

/** What the provider saw. The model is null when the gateway died before the whole request was there. */
export interface UpstreamCall {
  model: string | null
  marker: string | null
}

/** What the log says. */
export interface LoggedRow {
  id: string
  state: string
  status: number | null
  code: string | null
  requestedModel: string | null
  /** Attempts of the kind "called". */
  called: number
  /** Of these, those that lost a hedge: one that was ended at once may never have reached its provider. */
  lost: number
  keyId: string
  /** Of a stream that sent content. */
  ended: string | null
  costPicodollars: bigint | null
  /** What may be billed besides, what of it counts in budgets, and what was held for it. */
  unconfirmedMost?: bigint | null
  unconfirmedCounted?: bigint | null
  holdAdded?: bigint | null
  holdPicodollars: bigint | null
}

/** What a gateway said of a hard budget: after each start, and while calls ran. Picodollars. */
export interface BudgetSample {
  keyId: string
  limit: bigint
  spent: bigint
  unconfirmed: bigint
  held: bigint
  /** By the provider, for calls of this key, before the gateway was asked. */
  billed: bigint
}

export interface Evidence {
  sent: readonly SentCall[]
  upstream: readonly UpstreamCall[]
  rows: readonly LoggedRow[]
  /** In the order of time; the last one when nothing was running. */
  budget: readonly BudgetSample[]
  /** The provider's own: every answer that it produced, whatever became of it. */
  bill: readonly BilledCall[]
}

export interface Verdict {
  answered: number
  /** Of these, in formats other than chat. */
  messages: number
  responses: number
  /** Answered calls whose row matches the client's answer. */
  logged: number
  /** Answered minus logged: must be 0. */
  missing: number
  /** Streams whose end the client saw. */
  streamed: number
  /** Streams whose client saw content but no end. */
  cutStreams: number
  /** By the hard budget. */
  refused: number
  /** Rows with another entry that was also called, and lost. */
  hedged: number
  /** Calls that were killed while both entries ran. */
  cutHedges: number
  upstreamCalls: number
  /** Samples in which the provider had billed more than was spent: what was held or unconfirmed covered it. */
  covered: number
  /** Upstream calls without a row: must be 0. */
  unknown: number
  interrupted: number
  /** Rows that were never closed: must be 0. */
  open: number
  /** Every broken promise as a sentence, these and the finer ones. */
  problems: string[]
}

/**
 * Holds the log against what clients and provider saw. Each call has its own model, which its row keeps, so the
 * three accounts are compared call by call and not by totals.
 */
export function judge({ sent, upstream, rows, budget, bill }: Evidence): Verdict {
  const problems: string[] = []
  const rowsById = new Map(rows.map((row) => [row.id, row]))
  if (rowsById.size !== rows.length) problems.push('an id is in the log twice')
  const logged = checkAnswers(sent, rowsById, problems)
  const rowsByToken = groupByToken(sent, rows, problems)
  const { unknown, torn, seen } = checkUpstream(upstream, rowsByToken, problems)
  checkRows(sent, rowsByToken, { torn, seen }, problems)
  const cutStreams = checkCutStreams(sent, rowsByToken, problems)
  checkInterruptions(rows, problems)
  checkBudget(rows, budget, problems)
  checkBill(bill, rowsByToken, problems)
  const isCutHedge = ({ isHedged, token }: SentCall) =>
    isHedged && seen.get(token) === 2 && rowsByToken.get(token)?.code === 'interrupted'
  const open = rows.filter((row) => row.state !== 'closed')
  for (const row of open) problems.push(`${row.id} is still ${row.state}`)
  const answers = sent.filter((call) => call.answer !== null)
  const answered = answers.length
  return {
    answered,
    messages: answers.filter(({ format }) => format === 'messages').length,
    responses: answers.filter(({ format }) => format === 'responses').length,
    logged,
    missing: answered - logged,
    streamed: sent.filter((call) => (call.answer?.ended ?? null) !== null).length,
    cutStreams,
    refused: sent.filter((call) => call.answer?.status === 402).length,
    hedged: rows.filter((row) => row.lost > 0).length,
    cutHedges: sent.filter(isCutHedge).length,
    upstreamCalls: upstream.length,
    covered: budget.filter(({ spent, billed }) => spent < billed).length,
    unknown,
    interrupted: rows.filter((row) => row.code === 'interrupted').length,
    open: open.length,
    problems,
  }
}

function checkAnswers(sent: readonly SentCall[], rows: ReadonlyMap<string, LoggedRow>, problems: string[]): number {
  let logged = 0
  for (const { token, model, expectedStatuses, ended, answer } of sent) {
    if (answer === null) continue
    const said = `${answer.status} ${answer.ended ?? 'whole'}`
    const expectedEnd = answer.status === 200 ? ended : null
    if (!expectedStatuses.includes(answer.status) || answer.ended !== expectedEnd) {
      problems.push(`${token} was answered ${said}, not ${expectedStatuses.join(' or ')} ${expectedEnd ?? 'whole'}`)
    }
    const row = rows.get(answer.id)
    if (row === undefined) problems.push(`${token} was answered as ${answer.id}, which is not in the log`)
    else if (!saysTheSame(row, answer) || row.requestedModel !== model) {
      problems.push(`${token} was answered ${said} for ${answer.costUsd} USD, but its row says ${rowText(row)}`)
    } else logged += 1
  }
  return logged
}

function saysTheSame(row: LoggedRow, answer: NonNullable<SentCall['answer']>): boolean {
  const isSameEnd = row.state === 'closed' && row.status === answer.status && row.ended === answer.ended
  return isSameEnd && (answer.costUsd === null || picodollars(answer.costUsd) === (row.costPicodollars ?? 0n))
}

function rowText(row: LoggedRow): string {
  return JSON.stringify(row, (_, value) => (typeof value === 'bigint' ? String(value) : value))
}

function groupByToken(sent: readonly SentCall[], rows: readonly LoggedRow[], problems: string[]) {
  const tokens = new Map(sent.map((call) => [call.model, call.token]))
  const byToken = new Map<string, LoggedRow>()
  for (const row of rows) {
    const token = tokens.get(row.requestedModel ?? '')
    if (token === undefined) problems.push(`${row.id} (${row.requestedModel}) is a call that no client made`)
    else if (byToken.has(token)) problems.push(`${token} was sent once and is in the log twice`)
    else byToken.set(token, row)
  }
  return byToken
}

function checkUpstream(
  upstream: readonly UpstreamCall[],
  rows: ReadonlyMap<string, LoggedRow>,
  problems: string[],
): { unknown: number; torn: number; seen: Map<string, number> } {
  const seen = new Map<string, number>()
  let unknown = 0
  let torn = 0
  for (const { model, marker } of upstream) {
    if (model === null) {
      torn += 1
      continue
    }
    if (marker === null || !rows.has(marker)) {
      unknown += 1
      problems.push(`the provider was called for ${marker} (${model}), and the log does not know of it`)
      continue
    }
    const owner = tokenOfModel(model) ?? marker
    if (marker !== owner) problems.push(`the provider got the text of ${marker} with the model of ${owner}`)
    seen.set(marker, (seen.get(marker) ?? 0) + 1)
  }
  return { unknown, torn, seen }
}

/** A finished row names every upstream call it made; an interrupted one leaves room for those it was about to make. */
function checkRows(
  sent: readonly SentCall[],
  rows: ReadonlyMap<string, LoggedRow>,
  { torn, seen }: { torn: number; seen: ReadonlyMap<string, number> },
  problems: string[],
): void {
  let room = 0
  for (const { token, mostUpstreamCalls } of sent) {
    const row = rows.get(token)
    if (row === undefined) continue
    const made = seen.get(token) ?? 0
    if (row.code === 'interrupted') {
      room += mostUpstreamCalls - made
      if (made > mostUpstreamCalls) problems.push(`${token} was interrupted after ${made} upstream calls`)
    } else {
      room += Math.min(row.lost, row.called - made)
      if (!namesCalls(row, made)) problems.push(`${token} made ${made} upstream calls, and its row names ${row.called}`)
    }
  }
  if (torn > room) problems.push(`${torn} upstream calls were cut off, and interrupted rows explain only ${room}`)
}

export function namesCalls({ called, lost }: LoggedRow, made: number): boolean {
  return made <= called && made >= called - lost
}

/** A caller who saw part of an answer pays, even without its end. The number of such calls. */
function checkCutStreams(sent: readonly SentCall[], rows: ReadonlyMap<string, LoggedRow>, problems: string[]): number {
  const cut = sent.filter(({ sawContent, answer }) => sawContent && answer === null)
  for (const { token, isPriced } of cut) {
    const row = rows.get(token)
    if (row === undefined) problems.push(`${token} got content and is not in the log`)
    else if (row.ended === null) problems.push(`${token} got content, but its row says ${rowText(row)}`)
    else if (isPriced && (row.costPicodollars ?? 0n) <= 0n) problems.push(`${token} got content and is free`)
  }
  return cut.length
}

/** What was cut by a kill costs all that was held for it if it had an answer; otherwise that is what may be billed. */
export function checkInterruptions(rows: readonly LoggedRow[], problems: string[]): void {
  for (const row of rows) {
    if (row.code !== 'interrupted') continue
    const held = row.holdPicodollars === null ? null : row.holdPicodollars + (row.holdAdded ?? 0n)
    const due = row.ended === null ? null : held
    if (row.costPicodollars !== due) problems.push(`${row.id} was interrupted and should cost ${due}: ${rowText(row)}`)
    const open = row.ended === null && held !== 0n ? held : null
    if ((row.unconfirmedMost ?? null) !== open || (row.unconfirmedCounted ?? null) !== open) {
      problems.push(`${row.id} was interrupted, and ${open} may be billed: its row says ${row.unconfirmedMost}`)
    }
  }
}

function checkBudget(rows: readonly LoggedRow[], samples: readonly BudgetSample[], problems: string[]): void {
  for (const { limit, spent, unconfirmed, held, billed } of samples) {
    const counted = spent + unconfirmed + held
    const parts = `${spent} were spent, ${unconfirmed} unconfirmed and ${held} held`
    if (counted > limit) problems.push(`of ${limit} picodollars ${parts}`)
    if (counted < billed) problems.push(`${billed} picodollars were billed: ${parts}`)
  }
  for (const own of Map.groupBy(samples, ({ keyId }) => keyId).values()) checkLast(rows, own.at(-1), problems)
}

/** Once every call has ended. */
function checkLast(rows: readonly LoggedRow[], last: BudgetSample | undefined, problems: string[]): void {
  if (last === undefined) return
  const own = rows.filter(({ keyId }) => keyId === last.keyId)
  const costs = own.map((row) => (row.costPicodollars ?? 0n) + (row.unconfirmedCounted ?? 0n))
  const spent = costs.reduce((sum, cost) => sum + cost, 0n)
  if (spent > last.limit)
    problems.push(`the rows add up to ${spent} picodollars, more than the budget of ${last.limit}`)
  const counted = last.spent + last.unconfirmed
  if (spent !== counted || last.held !== 0n) {
    problems.push(`the rows add up to ${spent}; the gateway says ${counted} spent and ${last.held} held at the end`)
  }
}

/** Call by call: a row costs what its providers bill, or says that they may bill so much. */
export function checkBill(bill: readonly BilledCall[], rows: ReadonlyMap<string, LoggedRow>, problems: string[]): void {
  for (const [token, calls] of Map.groupBy(bill, ({ marker }) => marker ?? '')) {
    const row = rows.get(token)
    // Without a price there is nothing to compare; a call without a row is reported above.
    if (row === undefined || row.holdPicodollars === null) continue
    const booked = (row.costPicodollars ?? 0n) + (row.unconfirmedMost ?? 0n)
    if (booked < billOf(calls)) problems.push(`${token} was billed ${billOf(calls)}, its row says ${rowText(row)}`)
  }
}
