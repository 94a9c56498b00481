import type { Given, Refinement } from '../command.ts'

/** Only the value goes to standard output, so that a script can read it. */
function printValue(reply: { id: string; name: string; value: string }, { output }: Given): void {
  output.note(`Key ${reply.name} (${reply.id}). Its value is shown only now:`)
  output.line(reply.value)
}

export const myKeyRefinements: Readonly<Record<string, Refinement>> = {
  'key-templates.list': {
    examples: ['switchyard key-templates list'],
    columns: ['name', 'workspace', 'max_keys', 'max_days', 'description'],
  },
  'key-templates.put': {
    examples: [
      'switchyard key-templates put developers --max-days 30',
      'switchyard key-templates put developers --file template.json',
    ],
  },
  'key-templates.delete': { examples: ['switchyard key-templates delete developers'] },
  'my-keys.templates': {
    examples: ['switchyard my-keys templates'],
    columns: ['name', 'workspace', 'max_keys', 'max_days', 'description'],
  },
  'my-keys.list': {
    examples: ['switchyard my-keys list'],
    columns: ['id', 'name', 'template', 'prefix', 'expires_at', 'revoked_at', 'spent_usd'],
  },
  'my-keys.create': { examples: ['switchyard my-keys create laptop --template developers'], print: printValue },
  'my-keys.rotate': { examples: ['switchyard my-keys rotate KEY_ID --overlap-seconds 3600'], print: printValue },
  'my-keys.revoke': { examples: ['switchyard my-keys revoke KEY_ID'] },
}
