import type { AnyInput } from '../api-client.ts'
import { cell } from '../cell.ts'
import { CliError } from '../cli-error.ts'
import type { Given, Positional, Refinement } from '../command.ts'
import { printRows } from '../print-reply.ts'
import { readJsonFile } from '../read-input.ts'

const MODEL: readonly Positional[] = [{ name: 'PROVIDER/MODEL' }, { name: 'MODEL', optional: true }]

/** `provider/model` as one word or as two; a model's own id may hold slashes. */
function withModel(given: Given, input: AnyInput): AnyInput {
  const [first = '', second] = given.positionals
  if (second !== undefined) return { ...input, params: { provider: first, model: second } }
  const slash = first.indexOf('/')
  if (slash < 1) throw new CliError(`'${first}': expected PROVIDER/MODEL`, 2)
  return { ...input, params: { provider: first.slice(0, slash), model: first.slice(slash + 1) } }
}

interface ImportReply {
  dry_run: boolean
  added: { provider: string; model: string; input_per_mtok: string | null; output_per_mtok: string | null }[]
  changed: { provider: string; model: string; changes: { field: string; before?: unknown; after?: unknown }[] }[]
  unchanged: number
  skipped: { reason: string; count: number; names: string[] }[]
}

function printImport(reply: ImportReply, { output }: Given): void {
  const rows = [
    ...reply.added.map((model) => ({
      change: 'add',
      model: `${model.provider}/${model.model}`,
      what: `input ${cell(model.input_per_mtok)}, output ${cell(model.output_per_mtok)} USD per million tokens`,
    })),
    ...reply.changed.map((model) => ({
      change: 'change',
      model: `${model.provider}/${model.model}`,
      what: model.changes.map(({ field, before, after }) => `${field} ${cell(before)} → ${cell(after)}`).join(', '),
    })),
  ]
  if (rows.length > 0) printRows(rows, output)
  for (const { reason, count, names } of reply.skipped) {
    const shown = names.slice(0, 3).join(', ')
    output.note(`skipped ${count}: ${reason} (${shown}${count > 3 ? ', …' : ''})`)
  }
  const counts = `${reply.added.length} added, ${reply.changed.length} changed, ${reply.unchanged} unchanged`
  output.line(reply.dry_run ? `Dry run: ${counts}. Add --apply to apply them.` : `Applied: ${counts}.`)
}

export const registryRefinements: Readonly<Record<string, Refinement>> = {
  'registry.list': {
    examples: ['switchyard registry list --provider local', 'switchyard registry list --priced false --all'],
    columns: ['provider', 'model', 'input_per_mtok', 'output_per_mtok', 'context_window', 'price_source', 'managed_by'],
  },
  'registry.get': {
    examples: ['switchyard registry get local/llama3'],
    positionals: MODEL,
    refine: withModel,
  },
  'registry.put': {
    examples: ['switchyard registry put local/llama3 --input-per-mtok 0 --output-per-mtok 0 --context-window 8192'],
    positionals: MODEL,
    refine: withModel,
  },
  'registry.history': {
    examples: ['switchyard registry history local/llama3'],
    positionals: MODEL,
    refine: withModel,
    columns: ['id', 'created_at', 'source', 'input_per_mtok', 'cached_input_per_mtok', 'output_per_mtok'],
  },
  'registry.import': {
    examples: [
      'switchyard registry import model_prices_and_context_window.json --format litellm',
      'switchyard registry import prices.json --apply',
    ],
    positionals: [{ name: 'FILE' }],
    omit: ['dry-run', 'file'],
    options: { apply: { type: 'boolean', help: 'Apply the changes; without it, only show them' } },
    async refine(given, input) {
      const [file = '-'] = given.positionals
      given.output.progress('reading and comparing')
      const body = await readJsonFile(file)
      return { ...input, query: { ...input.query, dry_run: given.values['apply'] === true ? 'false' : 'true' }, body }
    },
    print: printImport,
  },
  'catalog.list': {
    examples: ['switchyard catalog list'],
    columns: ['id', 'kind', 'owned_by', 'chain', 'description'],
  },
}
