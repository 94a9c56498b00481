import { createHash } from 'node:crypto'
import { GatewayError } from '../../domain/errors.ts'
import { newId } from '../../domain/new-id.ts'
import { signedUsd } from '../../domain/pricing/price.ts'
import { extentOf, ReportProblem } from '../../reconcile/line.ts'
import { type Merge, mergeLines } from '../../reconcile/merge.ts'
import { type OrderedLine, readReport } from '../../reconcile/read-report.ts'
import { REPORT_SOURCES, type SourceName } from '../../reconcile/sources/sources.ts'
import {
  addImport,
  deleteImport,
  findImport,
  findSameImport,
  linesBetween,
  listImports,
  removeLines,
} from '../../store/control/books/reports.ts'
import type { ReportImportsTable } from '../../store/engine/report-tables.ts'
import { timestamp } from '../contract/fields.ts'
import type { InputOf } from '../contract/operation.ts'
import type { reconciliationOperations } from '../contract/reconciliation.ts'
import { changeBeside, type ManagementDeps } from '../deps.ts'
import type { HandlersOf } from '../router.ts'
import { lineFromRow, rowFromLine } from './line-rows.ts'
import { refuseTwice } from './report-accounts.ts'

type Operations = typeof reconciliationOperations
type Body = InputOf<Operations['reports.import']>['body']

export function reportHandlers(
  deps: ManagementDeps,
): Pick<HandlersOf<Operations>, 'reports.list' | 'reports.import' | 'reports.delete'> {
  return {
    'reports.list': async () => ({
      data: (await listImports(deps.reads)).map(importView),
      sources: Object.keys(REPORT_SOURCES),
    }),
    async 'reports.import'({ body }, context) {
      const source = knownSource(body.source)
      if (!deps.snapshot().providers.has(body.provider)) {
        throw new GatewayError('invalid_request', `provider: there is no provider '${body.provider}'.`)
      }
      const lines = await linesOf(body, source)
      const settings = JSON.stringify({ accounts: body.accounts.toSorted(), rates: body.rates })
      const sha256 = createHash('sha256').update(body.text).digest('hex')
      const identity = { source, provider: body.provider, sha256, settings }
      return changeBeside(deps, context, async (transaction) => {
        await refuseTwice(transaction, body.provider, lines)
        const same = await findSameImport(transaction, identity)
        if (same !== null && !body.replace) {
          return { result: { ...NOTHING, import: importView(same), unchanged: lines.length }, audit: null }
        }
        const { start: from, end: to } = extentOf(lines)
        const stored = await linesBetween(transaction, { from, to, providers: [body.provider] })
        const merge = mergeLines(stored.map(lineFromRow), lines, { source, replaces: body.replace })
        refuseConflicts(merge)
        const id = newId(context.now)
        const made: ReportImportsTable = {
          ...{ ...identity, id, name: body.file_name, lines: merge.insert.length, starts_at: from, ends_at: to },
          ...{ imported_at: context.now, imported_by: context.actor.name },
        }
        const view = importView(made)
        const result = {
          import: view,
          added: merge.insert.length,
          unchanged: merge.unchanged,
          replaced: merge.remove.length,
        }
        await removeLines(transaction, merge.remove)
        await addImport(
          transaction,
          made,
          merge.insert.map((line, index) => rowFromLine(line, made, index)),
        )
        const { import: _import, ...counts } = result
        return { result, audit: auditOf('import', id, null, { ...view, ...counts }) }
      })
    },
    'reports.delete': ({ params: { id } }, context) =>
      changeBeside(deps, context, async (transaction) => {
        const found = await findImport(transaction, id)
        if (found === null) throw new GatewayError('not_found', `There is no report '${id}'.`)
        await deleteImport(transaction, id)
        return { result: undefined, audit: auditOf('delete', id, importView(found), null) }
      }),
  }
}

const NOTHING = { added: 0, replaced: 0 }

function knownSource(name: string): SourceName {
  if (name in REPORT_SOURCES) return name as SourceName
  throw new GatewayError('invalid_request', `source: is one of ${Object.keys(REPORT_SOURCES).join(', ')}.`)
}

const PIECE = 65_536

/** In pieces, with a turn of the event loop between them: calls are served by this thread too. */
async function* pieces(text: string): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += PIECE) {
    yield text.slice(at, at + PIECE)
    await new Promise((resolve) => setImmediate(resolve))
  }
}

async function linesOf({ text, accounts, rates }: Body, source: SourceName): Promise<OrderedLine[]> {
  try {
    const lines = await readReport(REPORT_SOURCES[source], pieces(text), { accounts, rates })
    if (lines.length > 0) return lines
    throw new ReportProblem('text', 'the report has no lines of models for these accounts')
  } catch (error) {
    if (error instanceof ReportProblem) throw new GatewayError('invalid_request', `${error.message}.`)
    throw error
  }
}

const MOST_SHOWN = 3

function refuseConflicts({ conflicts }: Merge): void {
  if (conflicts.length === 0) return
  const shown = conflicts.slice(0, MOST_SHOWN).map(({ stored, given }) => {
    const what = [timestamp(given.start).slice(0, 10), given.account, given.model, given.class].filter((text) => text)
    return `${what.join(' ')}: ${figure(stored)} stored (${stored.source}), ${figure(given)} in this file`
  })
  const more = conflicts.length > MOST_SHOWN ? ` and ${conflicts.length - MOST_SHOWN} more` : ''
  throw new GatewayError(
    'conflict',
    `The report overlaps what was imported before: ${shown.join('; ')}${more}. Send replace for a corrected file of the same source, or delete the earlier report.`,
  )
}

function figure({ amount, quantity }: OrderedLine): string {
  return amount === null ? `${quantity} tokens` : `${signedUsd(amount)} USD`
}

function importView({ settings: _settings, ...row }: ReportImportsTable) {
  return {
    ...row,
    starts_at: timestamp(row.starts_at),
    ends_at: timestamp(row.ends_at),
    imported_at: timestamp(row.imported_at),
  }
}

function auditOf(change: string, id: string, before: unknown, after: unknown) {
  return { action: `reports.${change}`, workspace: null, resource: `reports/${id}`, before, after }
}
