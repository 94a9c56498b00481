import type { ReplyOf } from '../../management/contract/contract.ts'
import type { Given, Refinement } from '../command.ts'
import { confirmed } from '../confirm.ts'
import { printRows } from '../print-reply.ts'

type Books = ReplyOf<'months.get'>

function printBooks(books: Books, { output }: Given): void {
  const { workspaces, keys, providers, late, corrections, differences, blockers, ...facts } = books
  output.details(facts)
  for (const rows of [workspaces, keys, providers, late, corrections]) {
    if (rows.length === 0) continue
    output.line('')
    printRows(rows, output)
  }
  for (const { provider, causes, reports: _reports, unexplained_usd: unexplained, ...sums } of differences) {
    output.line('')
    printRows([{ provider, ...sums }], output)
    printRows(
      [
        ...causes.map(({ cause, amount_usd, sentence }) => ({ cause, amount_usd, why: sentence })),
        { cause: 'unexplained', amount_usd: unexplained, why: '' },
      ],
      output,
    )
  }
  for (const { sentence } of blockers) output.note(sentence)
}

export const monthRefinements: Readonly<Record<string, Refinement>> = {
  'months.list': {
    name: 'months',
    examples: ['switchyard months'],
    columns: ['month', 'state', 'total_usd', 'closed_at', 'closed_by', 'sha256'],
  },
  'months.get': {
    examples: ['switchyard months get 2026-10', 'switchyard months get 2026-10 --json'],
    print: printBooks,
  },
  'months.close': {
    name: 'close',
    examples: ['switchyard close 2026-10', 'switchyard close 2026-10 --comment "checked with finance" --yes'],
    async confirm(given, { params }) {
      const month = String((params as { month: string }).month)
      return confirmed(given, `Close ${month}? It can't be opened again; what comes later belongs to the next month.`)
    },
    print: printBooks,
  },
  'months.export': {
    examples: [
      'switchyard months export 2026-10 > 2026-10.csv',
      'switchyard months export 2026-10 --format focus > focus.csv',
      'switchyard months export 2026-10 --format text | sha256sum',
    ],
  },
}
