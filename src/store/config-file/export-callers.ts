import { KeyTemplateSettings } from '../../domain/people/key-template.ts'
import { TokenIssuerSettings } from '../../domain/tokens/token-issuer.ts'
import { TokenRule } from '../../domain/tokens/token-rules.ts'
import { settingsOfIssuer } from '../control/people/token-issuers.ts'
import type { KeyRow } from '../engine/schema.ts'
import type { CallerRows } from './config-callers.ts'

/** Token issuers and key templates without what they have by default; null where there are none. */
export function exportedCallers({ issuers, templates }: CallerRows, keys: readonly KeyRow[]) {
  const byId = new Map(keys.map((key) => [key.id, key]))
  const rule = ({ key_id: id, ...rule }: TokenRule) => {
    const { when, ...rest } = rule
    const key = byId.get(id)
    const named = key?.workspace == null ? { key_id: id } : { key: key.name, ...notDefault(key.workspace) }
    return { when, ...named, ...differing(rest, TokenRule.parse({ when: { a: 'b' }, key_id: 'c' })) }
  }
  const issuer = ({ issuer, audiences, rules, ...rest }: TokenIssuerSettings) => {
    const bare = TokenIssuerSettings.parse({ issuer, audiences, rules: [] })
    return { issuer, audiences, ...differing(rest, bare), rules: rules.map(rule) }
  }
  const shipped = KeyTemplateSettings.parse({})
  return {
    token_issuers: orNull(issuers.map((row) => [row.name, issuer(settingsOfIssuer(row))])),
    key_templates: orNull(
      templates.map(({ name, workspace, ...rest }) => [
        name,
        { ...notDefault(workspace), ...differing(rest, shipped) },
      ]),
    ),
  }
}

function notDefault(workspace: string): { workspace?: string } {
  return workspace === 'default' ? {} : { workspace }
}

function differing(fields: object, shipped: object): object {
  const without = new Map(Object.entries(shipped).map(([name, value]) => [name, JSON.stringify(value)]))
  return Object.fromEntries(
    Object.entries(fields).filter(([name, value]) => without.get(name) !== JSON.stringify(value)),
  )
}

function orNull(entries: [name: string, definition: object][]): object | null {
  return entries.length === 0 ? null : Object.fromEntries(entries)
}
