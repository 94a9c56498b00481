import type { Reply } from '../../api/client.ts'

export type ConfigChange = Reply<'config.plan'>['changes'][number]
export type ChangeKind = ConfigChange['kind']

export const KINDS: Readonly<Record<ChangeKind, { word: string; color: string; meaning: string }>> = {
  create: { word: 'create', color: 'teal', meaning: 'it is not there yet' },
  update: { word: 'update', color: 'blue', meaning: 'it changes' },
  delete: { word: 'delete', color: 'red', meaning: 'the file named it once and no longer does' },
  take_over: { word: 'take over', color: 'yellow', meaning: 'it was not the file’s until now' },
  release: { word: 'release', color: 'gray', meaning: 'the file lets go of it; it stays as it is without the file' },
}

const ORDER = Object.keys(KINDS) as ChangeKind[]

/** "2 create, 1 delete; 12 are as the file says already". */
export function planSummary(changes: readonly Pick<ConfigChange, 'kind'>[], unchanged: number): string {
  const same = unchanged === 1 ? '1 is as the file says already' : `${unchanged} are as the file says already`
  const counts = ORDER.map((kind) => [kind, changes.filter((change) => change.kind === kind).length] as const)
  const told = counts.filter(([, count]) => count > 0).map(([kind, count]) => `${count} ${KINDS[kind].word}`)
  return told.length === 0 ? `Nothing would change: ${same}.` : `${told.join(', ')}; ${same}.`
}

/** A value of a field, short enough for a line; nothing is a dash. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined) return '–'
  return typeof value === 'string' ? value : JSON.stringify(value)
}
