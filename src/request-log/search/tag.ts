import { type RawBuilder, sql } from 'kysely'

export interface Tag {
  name: string
  value: string
}

/** Written as NAME:VALUE; the name ends at the first colon. */
export function tagOf(text: string): Tag {
  const colon = text.indexOf(':')
  return { name: text.slice(0, colon), value: text.slice(colon + 1) }
}

/**
 * The rows whose tags have this one. They are JSON as `JSON.stringify` writes it, where a quote begins a name only behind
 * a brace or a comma, so a look at the text finds no other; both engines know `replace`.
 */
export function hasTag({ name, value }: Tag): RawBuilder<boolean> {
  const pair = `${JSON.stringify(name)}:${JSON.stringify(value)}`
  const at = (before: string) => sql`replace(tags, ${before + pair}, '') <> tags`
  return sql<boolean>`(${at('{')} or ${at(',')})`
}
