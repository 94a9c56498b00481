import { changeWords } from '../../domain/changes/change-words.ts'
import { restorableSettings } from '../../domain/changes/restorable.ts'
import type { AnyInput } from '../api-client.ts'
import type { Given, Refinement } from '../command.ts'
import { confirmed } from '../confirm.ts'

interface Restored {
  resource: string
  changed: boolean
  before: unknown
  after: unknown
  notes: string[]
}

/** Compares the version with the newest one of the audit log, as the dashboard does. */
async function showAndAsk(given: Given, { params, body }: AnyInput): Promise<boolean> {
  const { client, output, values } = given
  if (values['yes'] !== true && !output.isJson) {
    const entry = await client.call('audit.get', { params: { id: String(params['id']) } })
    const { resource, workspace, before, after, at } = entry
    const side = (body as { version?: string }).version ?? (after === null ? 'before' : 'after')
    const place = workspace === null ? {} : { workspace }
    const newest = await client.call('audit.list', { query: { resource, limit: 1, ...place } })
    const current = restorableSettings(resource, newest.data[0]?.after ?? null)
    const words = changeWords(current, restorableSettings(resource, side === 'before' ? before : after))
    output.line(`${resource}: ${side === 'before' ? 'the version before' : 'the version of'} ${at}`)
    for (const line of words) output.line(`  ${line}`)
    if (words.length === 0 && current !== null) output.line('  No difference to the latest version.')
  }
  return confirmed(given, 'Restore this version?')
}

function printRestored({ resource, changed, before, after, notes }: Restored, { output, values }: Given): void {
  output.line(changed ? `${resource} restored.` : `${resource} is already at this version.`)
  // Without --yes they were shown with the question.
  if (values['yes'] === true) for (const line of changeWords(before, after)) output.line(`  ${line}`)
  for (const note of notes) output.note(note)
}

export const restore: Refinement = {
  name: 'restore',
  examples: [
    'switchyard restore 01m7a2g6603tff8xr3ygndz1xh',
    'switchyard restore 01m7a2g6603tff8xr3ygndz1xh --version before --yes',
  ],
  confirm: showAndAsk,
  print: printRestored,
}
