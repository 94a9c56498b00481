import type { Selectable } from 'kysely'
import { restorableSettings } from '../domain/changes/restorable.ts'
import { GatewayError } from '../domain/errors.ts'
import type { Database } from '../store/engine/schema.ts'
import { findAuditEntry } from './audit.ts'
import type { auditOperations } from './contract/audit.ts'
import type { Contract } from './contract/contract.ts'
import type { Operation } from './contract/operation.ts'
import { MASKED } from './contract/providers.ts'
import type { ManagementDeps } from './deps.ts'
import { performer } from './perform.ts'
import type { Context, HandlersOf, OperationHandler } from './router.ts'

type Writing =
  | 'routes.put'
  | 'keys.update'
  | 'providers.put'
  | 'workspaces.update'
  | 'workspaces.create'
  | 'registry.put'
type Reading = 'providers.get' | 'workspaces.get'
type Settings = Record<string, unknown>

/** The ordinary operation that writes a recorded state again. */
interface Restoration {
  name: Writing
  params?: Settings
  query?: Settings
  body: Settings
  /** What the caller must still do. */
  notes?: string[]
}

type Handlers = HandlersOf<Pick<Contract, Writing | Reading>>

/**
 * Writes an audited state again, with the usual operation for it: with its checks, under the role and scope of the
 * caller, and as a new audit entry.
 */
export function restoreHandlers(
  deps: ManagementDeps,
  handlers: Handlers,
): HandlersOf<Pick<typeof auditOperations, 'audit.restore'>> {
  return {
    async 'audit.restore'({ params: { id }, body }, context) {
      const entry = await findAuditEntry(deps.db, id, context.access)
      const { before, after, resource, workspace } = entry
      const restored = (body.version ?? (after === null ? 'before' : 'after')) === 'before' ? before : after
      const settings = restorableSettings(resource, restored === null ? null : JSON.parse(restored))
      if (settings === null) throw notRestorable(entry, body.version)
      const restoration = await restorationOf(entry, settings, (name) => present(handlers, name, resource, context))
      const written: { before: unknown; after: unknown } = { before: null, after: null }
      let changed = false
      const perform = performer<Writing>(handlers, {
        ...context,
        // The caller's version, if any, is not that of the object that is written.
        checkMatch: () => undefined,
        created: () => undefined,
        asAudited(audit) {
          changed = true
          Object.assign(written, { before: audit.before, after: audit.after })
          return { ...audit, action: `${resource.slice(0, resource.indexOf('/'))}.restore` }
        },
      })
      await perform(restoration.name, restoration)
      return { resource, workspace, changed, ...written, notes: restoration.notes ?? [] }
    },
  }
}

type Entry = Selectable<Database['audit']>

function notRestorable({ resource, before, after }: Entry, version: string | undefined): GatewayError {
  const isNothing = before === null && after === null
  const text =
    restorableSettings(resource, {}) === null || isNothing
      ? 'Only changes of routes, keys, providers, workspaces and models can be restored.'
      : `This entry has no version ${version ?? 'after'} the change to restore.`
  return new GatewayError('conflict', text)
}

/** The current state; null if it was deleted. */
async function present(
  handlers: Handlers,
  name: Reading,
  resource: string,
  context: Context,
): Promise<Settings | null> {
  const read = handlers[name] as OperationHandler<Operation>
  try {
    const input = { params: { name: idOf(resource) }, query: {}, body: undefined }
    return (await read(input, context)) as Settings
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'not_found') return null
    throw error
  }
}

function idOf(resource: string): string {
  return resource.slice(resource.indexOf('/') + 1)
}

async function restorationOf(
  { resource, workspace }: Entry,
  settings: Settings,
  present: (name: Reading) => Promise<Settings | null>,
): Promise<Restoration> {
  const id = idOf(resource)
  switch (resource.slice(0, resource.indexOf('/'))) {
    case 'routes':
      return { name: 'routes.put', params: { alias: id }, query: { workspace }, body: withoutNulls(settings) }
    case 'keys':
      return { name: 'keys.update', params: { id }, body: settings }
    case 'providers':
      return ofProvider(id, settings, await present('providers.get'))
    case 'workspaces':
      return ofWorkspace(id, settings, await present('workspaces.get'))
    default: {
      const [provider = '', ...model] = id.split('/')
      return { name: 'registry.put', params: { provider, model: model.join('/') }, body: settings }
    }
  }
}

/** The list has no secrets: those that are stored stay, and only where the calls still go to the same server. */
function ofProvider(name: string, settings: Settings, present: Settings | null): Restoration {
  if (present !== null && present['has_api_key'] === true && addressOf(present) !== addressOf(settings)) {
    throw new GatewayError(
      'conflict',
      `This version of '${name}' has another address, and the stored API key is not sent there. Edit the provider, set ${addressOf(settings)} and enter its key again.`,
    )
  }
  const missing: string[] = []
  const known = (field: 'headers' | 'credentials') =>
    Object.fromEntries(
      Object.keys((settings[field] ?? {}) as Settings).flatMap((secret) => {
        if (secret in ((present?.[field] ?? {}) as Settings)) return [[secret, MASKED]]
        missing.push(secret)
        return []
      }),
    )
  const body = { ...settings, headers: known('headers'), credentials: known('credentials') }
  const again = [...(present === null ? ['API key'] : []), ...missing].join(', ')
  const notes = again === '' ? [] : [`Enter again, because secrets are not recorded: ${again}.`]
  return { name: 'providers.put', params: { name }, body, notes }
}

function addressOf({ base_url, preset, family, proxy }: Settings): string {
  return [base_url ?? preset ?? family, ...(typeof proxy === 'string' ? [`through ${proxy}`] : [])].join(' ')
}

/** Only what differs is written, so that a setting managed by switchyard.yaml blocks only its own change. */
function ofWorkspace(name: string, settings: Settings, present: Settings | null): Restoration {
  if (present === null) {
    const notes = ['Its routes and keys are not restored with it: restore each route, and create keys again.']
    return { name: 'workspaces.create', body: { name, ...settings }, notes }
  }
  const differing = Object.entries(settings).filter(
    ([field, value]) => JSON.stringify(value) !== JSON.stringify(present[field]),
  )
  return { name: 'workspaces.update', params: { name }, body: Object.fromEntries(differing) }
}

/** A route leaves out what it does not have. */
function withoutNulls(settings: Settings): Settings {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== null))
}
