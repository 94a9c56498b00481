import { type PlannedCall, tokenOfModel } from './plan.ts'

/** What a client knows of its call; `answer` null means that the connection died first. */
export interface SentCall extends PlannedCall {
  answer: { id: string; status: number } | null
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
}

export interface Evidence {
  sent: readonly SentCall[]
  upstream: readonly UpstreamCall[]
  rows: readonly LoggedRow[]
}

export interface Verdict {
  answered: number
  /** Answered calls whose row says what the client was told. */
  logged: number
  /** Answered minus logged: must be 0. */
  missing: number
  upstreamCalls: number
  /** Upstream calls without a row: must be 0. */
  unknown: number
  interrupted: number
  /** Rows that nobody closed: must be 0. */
  open: number
  /** Every broken promise in words, these and the finer ones. */
  problems: string[]
}

/**
 * Holds the log against what clients and provider saw. Each call has a model of its own, which its row keeps, so the
 * three accounts are compared call by call and not by totals.
 */
export function judge({ sent, upstream, rows }: Evidence): Verdict {
  const problems: string[] = []
  const rowsById = new Map(rows.map((row) => [row.id, row]))
  if (rowsById.size !== rows.length) problems.push('an id is in the log twice')
  const logged = checkAnswers(sent, rowsById, problems)
  const rowsByToken = groupByToken(sent, rows, problems)
  const { unknown, torn, seen } = checkUpstream(upstream, rowsByToken, problems)
  checkRows(sent, rowsByToken, { torn, seen }, problems)
  const open = rows.filter((row) => row.state !== 'closed')
  for (const row of open) problems.push(`${row.id} is still ${row.state}`)
  const answered = sent.filter((call) => call.answer !== null).length
  return {
    answered,
    logged,
    missing: answered - logged,
    upstreamCalls: upstream.length,
    unknown,
    interrupted: rows.filter((row) => row.code === 'interrupted').length,
    open: open.length,
    problems,
  }
}

function checkAnswers(sent: readonly SentCall[], rows: ReadonlyMap<string, LoggedRow>, problems: string[]): number {
  let logged = 0
  for (const { token, model, expectedStatus, answer } of sent) {
    if (answer === null) continue
    if (answer.status !== expectedStatus) problems.push(`${token} was answered ${answer.status}, not ${expectedStatus}`)
    const row = rows.get(answer.id)
    if (row === undefined) problems.push(`${token} was answered as ${answer.id}, which is not in the log`)
    else if (row.state !== 'closed' || row.status !== answer.status || row.requestedModel !== model) {
      problems.push(`${token} was answered ${answer.status}, but its row says ${JSON.stringify(row)}`)
    } else logged += 1
  }
  return logged
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
    const token = tokenOfModel(model)
    if (token === null || !rows.has(token)) {
      unknown += 1
      problems.push(`the provider was called for ${model}, and the log does not know of it`)
      continue
    }
    if (marker !== token) problems.push(`the provider got the text of ${marker} with the model of ${token}`)
    seen.set(token, (seen.get(token) ?? 0) + 1)
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
    } else if (made !== row.called) {
      problems.push(`${token} made ${made} upstream calls, and its row names ${row.called}`)
    }
  }
  if (torn > room) problems.push(`${torn} upstream calls were cut off, and interrupted rows explain only ${room}`)
}
