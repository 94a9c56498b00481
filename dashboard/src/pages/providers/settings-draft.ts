import type { SettingField } from './provider-kinds.ts'

/** A setting while it is typed. */
export interface SettingDraft {
  name: string
  text: string
}

export function settingDrafts(settings: Readonly<Record<string, unknown>>): SettingDraft[] {
  return Object.entries(settings).map(([name, value]) => ({
    name,
    text: typeof value === 'string' ? value : JSON.stringify(value),
  }))
}

/** What is typed, by the kinds of the fields; what belongs to another family is left out. Null: nothing is set. */
export function settingsOf(
  drafts: readonly SettingDraft[],
  fields: readonly SettingField[],
): Record<string, unknown> | null {
  const entries = drafts.flatMap(({ name, text }) => {
    const field = fields.find((each) => each.name === name)
    return field === undefined || text.trim() === '' ? [] : [[name, valueOfText(text.trim(), field)] as const]
  })
  return entries.length === 0 ? null : Object.fromEntries(entries)
}

/** What is not JSON goes as text: the gateway says what it should be. */
function valueOfText(text: string, { kind, values }: SettingField): unknown {
  if (kind === 'text' || (kind === 'choice' && !values.includes('true'))) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
