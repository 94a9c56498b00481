import { fieldPath } from './field-path.ts'

/**
 * What an error says, twice: as the caller reads it, and as the request log keeps it. The log never gets what a caller or
 * a provider wrote, so `kept` is made of our own templates, of figures, and of names of fields and of things that an
 * operator has named.
 */
export interface Worded {
  text: string
  kept: string
  /** The field that it is about; null where it names none. */
  param: string | null
}

/** A name that an operator gave, or that our code contains: safe to keep. */
export class Named {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

export function named(name: string): Named {
  return new Named(name)
}

/** In place of what is not kept. */
const LEFT_OUT = '…'

/** A message begins with the field it is about. */
const ABOUT = /^([\w.[\]]+): /

/**
 * A template whose own words are kept. Of what is inserted, figures, names and texts that were worded themselves are;
 * any other text only where it is nothing but names of fields.
 */
export function worded(
  template: TemplateStringsArray,
  ...values: readonly (string | number | Named | Worded)[]
): Worded {
  let [text, kept] = ['', '']
  for (const [index, part] of template.entries()) {
    text += part
    kept += part
    const value = values[index]
    if (value === undefined) continue
    text += typeof value === 'object' ? (value instanceof Named ? value.name : value.text) : value
    kept += keptOf(value)
  }
  return { text, kept, param: fieldPath(ABOUT.exec(kept)?.[1] ?? '') }
}

function keptOf(value: string | number | Named | Worded): string {
  if (typeof value === 'number') return String(value)
  if (typeof value === 'string') return value === '' ? '' : (fieldPath(value) ?? LEFT_OUT)
  return value instanceof Named ? value.name : value.kept
}
