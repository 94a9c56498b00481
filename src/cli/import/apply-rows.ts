import type { MovedKey } from '../../import/litellm/database/keys.ts'
import type { MovedWorkspace } from '../../import/litellm/database/teams.ts'
import { CliError } from '../cli-error.ts'
import type { Given } from '../command.ts'
import { confirmed } from '../confirm.ts'
import { createMoveProgress } from '../move-progress.ts'
import { adoptKeys, applyWorkspaces, planWorkspaces, takenNames, workspacesHere } from './rows.ts'

/** What moves in beside the configuration. */
export interface MovedRows {
  workspaces: readonly MovedWorkspace[]
  /** How many keys there are in all. */
  count: number
  keys(): AsyncIterable<MovedKey[]>
}

/** Names of workspaces that an import must not take; none where no gateway answers, which only a dry run may do. */
export async function takenHere(given: Given): Promise<string[]> {
  try {
    return takenNames(await workspacesHere(given.client))
  } catch (error) {
    if (given.values['apply'] === true || !(error instanceof CliError)) throw error
    given.output.note('note: no gateway answers, so names that are taken there are not known')
    return []
  }
}

/** Workspaces, then keys, after asking. A page of keys is one transaction, and the same command resumes. */
export async function applyRows(given: Given, moved: MovedRows, directModels: boolean | undefined): Promise<number> {
  const { client, output } = given
  const plan = planWorkspaces(moved.workspaces, await workspacesHere(client))
  const toCome = new Set(plan.created.map(({ name }) => name))
  const planned = await withProgress(given, moved, { toCome, dryRun: true })
  const isChange = planned.created + planned.changed + plan.created.length + plan.spent.length > 0
  output.note(
    `Workspaces: ${plan.created.length} to create, ${plan.spent.length} with other spend, ${plan.unchanged} up to date.`,
  )
  output.note(`Keys: ${planned.created} to create, ${planned.changed} to update, ${planned.unchanged} up to date.`)
  for (const { hash, reason } of planned.refused.slice(0, SHOWN)) output.note(`  ${hash.slice(0, 8)}…: ${reason}`)
  if (!isChange) return planned.refused.length === 0 ? 0 : 1
  if (!(await confirmed(given, 'Create these workspaces and keys?'))) return 1
  await applyWorkspaces(client, plan, directModels)
  const done = await withProgress(given, moved, { toCome, dryRun: false })
  const renamed = done.renamed.length === 0 ? '' : `, ${done.renamed.length} of them under another name`
  output.note(`${done.created} keys created${renamed}, ${done.changed} updated, ${done.unchanged} up to date.`)
  if (done.refused.length > 0) output.note(`${done.refused.length} keys were refused; they are listed above.`)
  return done.refused.length === 0 ? 0 : 1
}

const SHOWN = 20

function withProgress(given: Given, moved: MovedRows, how: { toCome: ReadonlySet<string>; dryRun: boolean }) {
  const { output, client } = given
  const progress = createMoveProgress(output, { isTerminal: process.stderr.isTTY, now: () => performance.now() })
  progress.begin(moved.count)
  const words = how.dryRun ? 'checking keys' : 'creating keys'
  return adoptKeys(client, moved, { ...how, onProgress: (done) => progress.at(words, done) }).finally(() =>
    progress.end(),
  )
}
