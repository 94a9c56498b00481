import type { Reply } from '../../api/client.ts'

export type ConfigChange = Reply<'config.plan'>['changes'][number]
export type ChangeKind = ConfigChange['kind']

export const KINDS: Readonly<Record<ChangeKind, { word: string; color: string; meaning: string }>> = {
  create: { word: 'create', color: 'teal', meaning: 'does not exist yet' },
  update: { word: 'update', color: 'blue', meaning: 'changes' },
  delete: { word: 'delete', color: 'red', meaning: 'set by an earlier file, not in this one' },
  take_over: { word: 'take over', color: 'yellow', meaning: 'becomes managed by the file' },
  release: { word: 'release', color: 'gray', meaning: 'stays, but is no longer managed by a file' },
}

const ORDER = Object.keys(KINDS) as ChangeKind[]

/** "2 create, 1 delete; 12 already match". */
export function planSummary(changes: readonly Pick<ConfigChange, 'kind'>[], unchanged: number): string {
  const same = unchanged === 1 ? '1 already matches' : `${unchanged} already match`
  const counts = ORDER.map((kind) => [kind, changes.filter((change) => change.kind === kind).length] as const)
  const parts = counts.filter(([, count]) => count > 0).map(([kind, count]) => `${count} ${KINDS[kind].word}`)
  return parts.length === 0 ? `Nothing would change: ${same}.` : `${parts.join(', ')}; ${same}.`
}

/** A value of a field, short enough for a line; nothing is a dash. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined) return '–'
  return typeof value === 'string' ? value : JSON.stringify(value)
}
