import { isDeepStrictEqual } from 'node:util'
import type { Transaction } from 'kysely'
import type { FileConfig } from '../../domain/file-config.ts'
import { isUsable } from '../../domain/key.ts'
import type { IssuerDefinition } from '../../domain/people/callers-in-file.ts'
import type { TokenIssuerSettings } from '../../domain/tokens/token-issuer.ts'
import { findKey, keyFromRow, usableKeyIds } from '../control/keys.ts'
import { type ManagedCallers, readManagedCallers, writeManagedCallers } from '../control/people/managed-callers.ts'
import {
  deleteTemplate,
  findTemplate,
  listPersonalKeys,
  listTemplates,
  putTemplate,
} from '../control/people/personal-keys.ts'
import {
  deleteTokenIssuer,
  findTokenIssuer,
  listTokenIssuers,
  putTokenIssuer,
  settingsOfIssuer,
} from '../control/people/token-issuers.ts'
import { stepDownProblem } from '../control/routes.ts'
import type { Database } from '../engine/schema.ts'
import { StoreError } from '../engine/store-error.ts'
import type { ViewedObject } from './config-view.ts'

type Db = Transaction<Database>
export type CallerRows = Awaited<ReturnType<typeof readCallers>>

export async function readCallers(db: Db) {
  return {
    issuers: await listTokenIssuers(db),
    templates: await listTemplates(db),
    managed: await readManagedCallers(db),
  }
}

export function viewedCallers({ issuers, templates, managed }: CallerRows): ViewedObject[] {
  const owner = (kind: keyof ManagedCallers, name: string) =>
    managed[kind].includes(name) ? ('config' as const) : null
  const viewed = (resource: string, managedBy: ViewedObject['managedBy'], fields: object): ViewedObject => {
    return { resource, auditResource: resource, workspace: null, managedBy, fields: { ...fields }, secrets: {} }
  }
  return [
    ...issuers.map((row) => viewed(`token-issuers/${row.name}`, owner('issuers', row.name), settingsOfIssuer(row))),
    ...templates.map(({ name, ...fields }) => viewed(`key-templates/${name}`, owner('templates', name), fields)),
  ]
}

/** After the keys: rules name them. */
export async function applyCallers(db: Db, config: FileConfig, now: number): Promise<void> {
  const { token_issuers: issuers, key_templates: templates } = config
  if (Object.keys(issuers).length + Object.keys(templates).length === 0) return
  for (const [name, definition] of Object.entries(issuers)) await applyIssuer(db, name, definition, now)
  for (const [name, definition] of Object.entries(templates)) await applyTemplate(db, name, definition, now)
  const managed = await readManagedCallers(db)
  const union = (names: readonly string[], more: object) => [...new Set([...names, ...Object.keys(more)])].sort()
  await writeManagedCallers(db, {
    issuers: union(managed.issuers, issuers),
    templates: union(managed.templates, templates),
  })
}

async function applyIssuer(db: Db, name: string, definition: IssuerDefinition, now: number): Promise<void> {
  const place = `token_issuers.${name}`
  const rules = []
  for (const [index, { key, workspace = 'default', key_id: id, ...rule }] of definition.rules.entries()) {
    const keyId = id ?? (await keyNamed(db, workspace, key ?? '', now))
    if (keyId === null) throw new StoreError(`${place}.rules[${index}].key: '${workspace}' has no working key '${key}'`)
    if (id !== undefined && (await findKey(db, 'live', id)) === null) {
      throw new StoreError(`${place}.rules[${index}].key_id: there is no gateway key with this id`)
    }
    rules.push({ ...rule, key_id: keyId })
  }
  const settings: TokenIssuerSettings = { ...definition, rules }
  const same = await findTokenIssuer(db, { issuer: settings.issuer })
  if (same !== null && same.name !== name) {
    throw new StoreError(`${place}.issuer: '${same.name}' is this issuer already; add your rules to it`)
  }
  const present = await findTokenIssuer(db, { name })
  if (present !== null && isDeepStrictEqual(settingsOfIssuer(present), settings)) return
  await putTokenIssuer(db, name, settings, now)
}

async function keyNamed(db: Db, workspace: string, name: string, now: number): Promise<string | null> {
  return (await usableKeyIds(db, { kind: 'live', workspace, name }, now))[0] ?? null
}

async function applyTemplate(
  db: Db,
  name: string,
  definition: FileConfig['key_templates'][string],
  now: number,
): Promise<void> {
  const place = `key_templates.${name}`
  const { workspace, limits } = definition
  const found = await db.selectFrom('workspaces').select('name').where('name', '=', workspace).executeTakeFirst()
  if (found === undefined) throw new StoreError(`${place}.workspace: there is no workspace '${workspace}'`)
  const problem = await stepDownProblem(db, workspace, limits ?? undefined)
  if (problem !== null) throw new StoreError(`${place}.${problem}`)
  const present = await findTemplate(db, name)
  if (present !== null && present.workspace !== workspace) {
    throw new StoreError(`${place}.workspace: keys of it are in '${present.workspace}'; make another template`)
  }
  const template = { name, ...definition }
  if (!isDeepStrictEqual(present, template)) await putTemplate(db, template, now)
}

/** A template whose keys still work stays, and is no longer the file's: they follow it. */
export async function pruneCaller(db: Db, kind: string, name: string, now: number): Promise<void> {
  const managed = await readManagedCallers(db)
  const without = (names: readonly string[]) => names.filter((each) => each !== name)
  if (kind === 'token-issuers') {
    await deleteTokenIssuer(db, name)
    await writeManagedCallers(db, { ...managed, issuers: without(managed.issuers) })
    return
  }
  const keys = await listPersonalKeys(db, { template: name })
  if (!keys.some((key) => isUsable(keyFromRow(key), now))) await deleteTemplate(db, name)
  await writeManagedCallers(db, { ...managed, templates: without(managed.templates) })
}
