import type { Operation } from '../management/contract/operation.ts'
import type { AnyInput } from './api-client.ts'
import { CliError } from './cli-error.ts'
import type { Given, Refinement } from './command.ts'
import type { Output } from './output.ts'

interface Printing {
  operation: Operation
  input: AnyInput
  given: Given
  refinement: Refinement
}

/** Makes the call and shows the answer: a list as a table, an object field by field, a stream as it comes. */
export async function printReply(printing: Printing): Promise<number> {
  const { operation, input, given, refinement } = printing
  const { output, client } = given
  if (operation.stream !== null) {
    await printStream(client.stream(operation, input), output)
    return 0
  }
  const reply = await replyOf(printing)
  output.progress(null)
  const parsed = operation.reply.safeParse(reply)
  if (output.isJson) output.json(reply ?? {})
  else if (!parsed.success) {
    throw new CliError('this version does not understand the reply of the gateway: use --json, or the same version', 1)
  } else if (refinement.print !== undefined) refinement.print(parsed.data as never, given)
  else printPlain(parsed.data, given, refinement.columns)
  return parsed.success ? (refinement.exitCode?.(parsed.data as never) ?? 0) : 0
}

function replyOf(printing: Printing): Promise<unknown> {
  const { operation, input, given, refinement } = printing
  if (given.values['all'] === true) return everyPage(printing)
  return refinement.merge === undefined ? given.client.callAny(operation, input) : mergedPages(printing)
}

async function mergedPages({ operation, input, given, refinement }: Printing): Promise<unknown> {
  let merged: unknown = null
  let query = input.query
  for (;;) {
    const page = (await given.client.callAny(operation, { ...input, query })) as Page
    merged = merged === null ? page : refinement.merge?.pages(merged as never, page as never)
    if (typeof page.next_cursor !== 'string') return merged
    given.output.progress(refinement.merge?.progress(merged as never) ?? '')
    query = { ...query, cursor: page.next_cursor }
  }
}

function printPlain(reply: unknown, { output }: Given, columns: readonly string[] | undefined): void {
  const { data, next_cursor: cursor } = (reply ?? {}) as { data?: unknown; next_cursor?: string | null }
  if (reply === undefined) output.note('Done.')
  else if (Array.isArray(data)) printRows(data, output, columns)
  else output.details(reply as Record<string, unknown>)
  if (typeof cursor === 'string') output.note(`More results: use --cursor ${cursor} or --all`)
}

export function printRows(rows: Record<string, unknown>[], output: Output, columns?: readonly string[]): void {
  const names = columns ?? Object.keys(rows[0] ?? {})
  const isNumber = (name: string) => {
    const present = rows.map((row) => row[name]).filter((value) => value !== null)
    return name.endsWith('_usd') || (present.length > 0 && present.every((value) => typeof value === 'number'))
  }
  const titles = names.map((name) => ({ title: name, isNumber: isNumber(name) }))
  if (rows.length === 0) output.note('None.')
  else {
    output.table(
      titles,
      rows.map((row) => names.map((name) => row[name])),
    )
  }
}

interface Page {
  data: unknown[]
  next_cursor: string | null
}

async function everyPage({ operation, input, given }: Printing): Promise<Page> {
  const data: unknown[] = []
  let query = input.query
  for (;;) {
    const page = (await given.client.callAny(operation, { ...input, query })) as Page
    data.push(...page.data)
    if (page.next_cursor === null) {
      given.output.progress(null)
      return { ...page, data }
    }
    given.output.progress(`${data.length} so far`)
    query = { ...query, cursor: page.next_cursor }
  }
}

async function printStream(pieces: AsyncIterable<string>, output: Output): Promise<void> {
  let lines = 0
  let reported = 0
  for await (const piece of pieces) {
    await output.piece(piece)
    lines += piece.split('\n').length - 1
    if (lines - reported >= 1_000) {
      reported = lines
      output.progress(`${lines} lines`)
    }
  }
  output.progress(null)
}
