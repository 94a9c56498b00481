/** A name, or the entry of a list that has this name. */
export type Step = string | { name: string }

/** One value of a settings file. */
export interface Setting {
  path: readonly Step[]
  value: string | number | boolean | readonly string[]
  /** Left as it is where the file has it. */
  isDefault?: true
  /** Not shown. */
  isSecret?: true
}

export interface Change {
  setting: Setting
  /** As it stood in the file; null: it was not there. */
  before: string | null
}

export interface Edited {
  text: string
  changes: Change[]
}

/** Puts settings into the text of a file and leaves everything else in it as it was. */
export type Editor = (text: string, settings: readonly Setting[]) => Edited

/** What is wrong with a file, and in which line. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile'
}

export function problemAt(text: string, offset: number, message: string): UnreadableFile {
  return new UnreadableFile(`line ${text.slice(0, offset).split('\n').length}: ${message}`)
}

/** `models.fast.apiBase` */
export function shownPath(path: readonly Step[]): string {
  return path.map((step) => (typeof step === 'string' ? step : step.name)).join('.')
}

export function newlineOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n'
}

export function splice(text: string, start: number, end: number, replacement: string): string {
  return text.slice(0, start) + replacement + text.slice(end)
}

/** Setting after setting, each against what the one before it left. */
export function oneByOne(
  edit: (text: string, setting: Setting) => { text: string; before: string | null } | null,
): Editor {
  return (text, settings) => {
    const edited: Edited = { text, changes: [] }
    for (const setting of settings) {
      const change = edit(edited.text, setting)
      if (change === null) continue
      edited.text = change.text
      edited.changes.push({ setting, before: change.before })
    }
    return edited
  }
}
