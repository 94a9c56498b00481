import { basename } from 'node:path'
import type { ReplyOf } from '../../management/contract/contract.ts'
import { type Given, type Refinement, texts, usageError } from '../command.ts'
import { printRows } from '../print-reply.ts'
import { readInput } from '../read-input.ts'

const TOTALS = ['ours_usd', 'theirs_usd', 'difference_usd', 'quantity_usd', 'price_usd', 'unexplained_usd']

function printReconciliation(reply: ReplyOf<'reconciliation.get'>, { output }: Given): void {
  if (reply.data.length === 0 && reply.foreign_accounts.length === 0) {
    output.note(`No reports of ${reply.month}. Import one with switchyard reconcile import.`)
    return
  }
  const rows = reply.data.map((each) => ({ ...each, accounts: each.accounts.join(' ') || '–' }))
  printRows(rows, output, ['provider', 'accounts', ...TOTALS])
  for (const { provider, causes, unexplained_usd: unexplained } of reply.data) {
    output.line('')
    const rows = causes.map(({ cause, amount_usd, sentence }) => ({ [provider]: cause, amount_usd, why: sentence }))
    const rest = { [provider]: 'unexplained', amount_usd: unexplained, why: 'No cause explains this.' }
    printRows(unexplained === '0' ? rows : [...rows, rest], output)
    if (causes.length === 0 && unexplained === '0') output.line(`${provider}: no difference`)
  }
  for (const { provider, cells } of reply.data) {
    for (const { period, model, unconfirmed } of cells) {
      if (unconfirmed === null || unconfirmed.billed_usd === '0') continue
      output.note(
        `Unconfirmed calls: ${unconfirmed.open_calls}. The report bills ${unconfirmed.billed_usd} USD for them: switchyard reconcile correct --kind confirmed --provider ${provider} --model ${model} --period ${period} --reason TEXT`,
      )
    }
  }
  if (reply.foreign_accounts.length > 0) {
    output.line('')
    printRows(
      reply.foreign_accounts.map(({ account, amount_usd, requests, models }) => ({
        ...{ "not this gateway's key": account, amount_usd: amount_usd ?? '–', requests },
        models: models.join(' '),
      })),
      output,
    )
    output.note(
      "Is one of them this gateway's? Then: switchyard report-accounts put --provider PROVIDER --account ACCOUNT --owner PROVIDER",
    )
  }
  for (const { provider, name, model } of reply.proposals) {
    output.note(
      `Is ${name} the model ${model}? Then: switchyard report-models put --provider ${provider} --report-name ${name} --model ${model}`,
    )
  }
  if (reply.deleted_before !== null) {
    output.note(`Requests before ${reply.deleted_before.slice(0, 10)} are deleted; reports of that time are left out.`)
  }
}

/** `EUR=1.08` */
function ratesOf(given: Given): Record<string, string> {
  return Object.fromEntries(
    texts(given, 'rate').map((each) => {
      const [code = '', rate, ...more] = each.split('=')
      if (rate === undefined || more.length > 0) {
        throw usageError({ name: 'reconcile import' }, `--rate is CODE=USD, for example EUR=1.08, not '${each}'`)
      }
      return [code.toUpperCase(), rate]
    }),
  )
}

export const reconcileRefinements: Readonly<Record<string, Refinement>> = {
  'reconciliation.get': {
    name: 'reconcile',
    examples: ['switchyard reconcile', 'switchyard reconcile --month 2026-11 --provider PROVIDER'],
    print: printReconciliation,
  },
  'reconciliation.export': {
    name: 'reconcile export',
    examples: ['switchyard reconcile export --month 2026-11 > 2026-11.csv'],
  },
  'reports.import': {
    name: 'reconcile import',
    examples: [
      'switchyard reconcile import costs.csv --source focus --provider PROVIDER',
      'switchyard reconcile import invoice.csv --source csv --provider PROVIDER --rate EUR=1.08',
    ],
    positionals: [{ name: 'FILE' }],
    options: {
      rate: { type: 'string', multiple: true, placeholder: 'CODE=USD', help: 'USD for one unit of a currency' },
      replace: { type: 'boolean', help: 'Replace lines of the same source, account and days' },
    },
    omit: ['text', 'file', 'file-name'],
    async refine(given, input) {
      const file = given.positionals[0] ?? '-'
      const rates = ratesOf(given)
      const isReplacing = given.values['replace'] === true
      const own = { text: await readInput(file), file_name: file === '-' ? 'standard input' : basename(file) }
      return { ...input, body: { ...(input.body as object), ...own, rates, replace: isReplacing } }
    },
    print({ import: { lines: _lines, ...made }, ...counts }: ReplyOf<'reports.import'>, { output }) {
      output.details({ ...made, ...counts })
    },
  },
  'reconciliation.correct': {
    name: 'reconcile correct',
    examples: [
      'switchyard reconcile correct --kind confirmed --provider PROVIDER --model MODEL --period 2026-11-04 --reason "report of November"',
      'switchyard reconcile correct --kind released --provider PROVIDER --period 2026-11 --key nightly --reason "not billed"',
    ],
    columns: ['request_id', 'kind', 'workspace', 'cost_usd', 'counted_usd'],
  },
  'reports.list': {
    examples: ['switchyard reports list'],
    columns: ['id', 'source', 'provider', 'name', 'lines', 'starts_at', 'ends_at', 'imported_at', 'imported_by'],
  },
  'reports.delete': { examples: ['switchyard reports delete REPORT_ID'] },
  'report-models.list': { examples: ['switchyard report-models list'] },
  'report-models.put': {
    examples: ['switchyard report-models put --provider PROVIDER --report-name MODEL-2026-05-01 --model MODEL'],
  },
  'report-accounts.list': { examples: ['switchyard report-accounts list'] },
  'report-accounts.put': {
    examples: ['switchyard report-accounts put --provider PROVIDER --account KEY_ID --owner OTHER_PROVIDER'],
  },
}
