import type { ConfigView, ViewedObject } from './config-view.ts'

/** `take_over`: it was not the file's until now. `release`: the file lets go of it and it stays, as it is without the file. */
export const CHANGE_KINDS = ['create', 'update', 'delete', 'take_over', 'release'] as const
export type ChangeKind = (typeof CHANGE_KINDS)[number]

export interface FieldChange {
  field: string
  before: unknown
  after: unknown
}

export interface ConfigChange {
  kind: ChangeKind
  workspace: string | null
  resource: string
  auditResource: string
  fields: FieldChange[]
}

const SECTIONS = [
  'workspaces',
  'providers',
  'registry',
  'routes',
  'keys',
  'alert-rules',
  'alert-channels',
  'token-issuers',
  'key-templates',
]

/** What lies between two states; empty when they are the same. */
export function configChanges(before: ConfigView, after: ConfigView): ConfigChange[] {
  const names = new Set([...before.keys(), ...after.keys()])
  const changes = [...names].flatMap((name) => changeOf(before.get(name), after.get(name)) ?? [])
  return changes.sort((a, b) => compare(sortText(a), sortText(b)))
}

/** Objects that already match the file. */
export function countUnchanged(before: ConfigView, after: ConfigView): number {
  const isSame = ([name, object]: [string, ViewedObject]) =>
    object.managedBy === 'config' && changeOf(before.get(name), object) === null
  return [...after].filter(isSame).length
}

function changeOf(before: ViewedObject | undefined, after: ViewedObject | undefined): ConfigChange | null {
  const object = after ?? before
  if (object === undefined) return null
  const fields = fieldChanges(before, after)
  const kind = kindOf(before, after, fields.length > 0)
  const { workspace, resource, auditResource } = object
  return kind === null ? null : { kind, workspace, resource, auditResource, fields }
}

function kindOf(
  before: ViewedObject | undefined,
  after: ViewedObject | undefined,
  hasFields: boolean,
): ChangeKind | null {
  if (before === undefined) return 'create'
  if (after === undefined) return 'delete'
  if (before.managedBy !== 'config' && after.managedBy === 'config') return 'take_over'
  if (before.managedBy === 'config' && after.managedBy !== 'config') return 'release'
  return hasFields || before.managedBy !== after.managedBy ? 'update' : null
}

function fieldChanges(before: ViewedObject | undefined, after: ViewedObject | undefined): FieldChange[] {
  const shown = changed(before?.fields, after?.fields)
  const secret = changed(before?.secrets, after?.secrets).map(({ field, before: old, after: next }) => ({
    field,
    before: old === null ? null : '(secret)',
    after: next === null ? null : old === null ? '(secret)' : '(changed)',
  }))
  return [...shown, ...secret]
}

type Fields = Readonly<Record<string, unknown>>

function changed(before: Fields = {}, after: Fields = {}): FieldChange[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names].flatMap((field) => {
    const old = before[field] ?? null
    const next = after[field] ?? null
    return JSON.stringify(old) === JSON.stringify(next) ? [] : [{ field, before: old, after: next }]
  })
}

function sortText({ resource, workspace, kind }: ConfigChange): string {
  const section = SECTIONS.indexOf(resource.split('/', 1)[0] ?? '')
  return JSON.stringify([section, workspace ?? '', resource, kind])
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
