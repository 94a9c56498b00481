import type { AgentSetup } from '../../domain/wording/agent-setups.ts'
import type { Given } from '../command.ts'
import { confirmed } from '../confirm.ts'
import { programName } from '../program-name.ts'
import { type Change, shownPath } from './edit/setting.ts'
import { type FilePlan, planFiles } from './plan-files.ts'
import { writePlanned } from './write-file.ts'
import type { WrittenSetup } from './written-agent-setups.ts'

export interface Writing {
  setup: AgentSetup
  written: WrittenSetup
  url: string
  model: string
  /** null: the key stays where it is, or in the variable. */
  key: KeySource | null
}

export interface KeySource {
  /** Stands for the key until it is there. */
  preview: string
  value(): Promise<string>
}

/** Shows what would change in the tool's files, asks, and changes it; null: the answer was no. */
export async function writeSettings(given: Given, writing: Writing): Promise<object | null> {
  const { setup, written, url, model, key } = writing
  const { output, environment } = given
  const planned = (value: string | null) => planFiles(written, { url, model, key: value }, environment)
  const plans = planned(key?.preview ?? null)
  if (plans.every(({ changes }) => changes.length === 0)) {
    output.note(`${setup.title}: nothing to change in ${plans.map(({ path }) => path).join(' and ')}`)
    return reply(plans, [])
  }
  for (const plan of plans) for (const line of inWords(plan)) output.note(line)
  if (!(await confirmed(given, 'Write this?'))) return null
  // Last: no key is made where something else is wrong.
  const final = key === null ? plans : planned(await key.value())
  const now = new Date()
  const backups: (string | null)[] = []
  for (const plan of final) {
    if (plan.changes.length === 0) {
      backups.push(null)
      continue
    }
    const backup = writePlanned(plan, now)
    backups.push(backup)
    output.note(`Wrote ${plan.target}${backup === null ? '' : `; what was there is in ${backup}`}`)
  }
  if (key === null) output.note(`\n${whereTheKeyGoes(writing)}`)
  return reply(final, backups)
}

function inWords({ path, target, before, changes }: FilePlan): string[] {
  if (changes.length === 0) return [`${path}: nothing to change`]
  const link = target === path ? '' : ` (a link: ${target} is written)`
  return [
    `${path}${link}, ${before === null ? 'a new file' : 'which keeps everything else'}:`,
    ...changes.map(changeInWords),
  ]
}

function changeInWords({ setting, before }: Change): string {
  const was = before === null ? '' : setting.isSecret ? '  (another key was there)' : `  (was ${oneLine(before)})`
  return `  ${shownPath(setting.path)} = ${setting.isSecret ? '(the gateway key)' : JSON.stringify(setting.value)}${was}`
}

function oneLine(text: string): string {
  const flat = text.replace(/\s+/g, ' ')
  return flat.length > 60 ? `${flat.slice(0, 60)}…` : flat
}

function whereTheKeyGoes({ setup, written: { keyVariable } }: Writing): string {
  const again = `${programName()} connect ${setup.name} --write`
  const store = `To have it stored in a file that only you can read: ${again} --key-file FILE, or --new-key NAME.`
  if (keyVariable === null) return `${setup.title} reads its key from its file. ${store}`
  return `${setup.title} reads the gateway key from the variable ${keyVariable}. ${store}`
}

function reply(plans: readonly FilePlan[], backups: readonly (string | null)[]): object {
  const files = plans.map(({ target, changes }, index) => ({
    path: target,
    changed: changes.map(({ setting }) => shownPath(setting.path)),
    backup: backups[index] ?? null,
  }))
  return { files }
}
