/** What an entry of the audit log is about, taken apart for people. */
export interface Resource {
  /** `routes`, `keys`, `registry` … */
  kind: string
  /** What stands after it; '' for the whole kind. */
  id: string
}

export function resourceOf(resource: string): Resource {
  const slash = resource.indexOf('/')
  return slash === -1 ? { kind: resource, id: '' } : { kind: resource.slice(0, slash), id: resource.slice(slash + 1) }
}

export const KINDS: Record<string, { one: string; many: string }> = {
  keys: { one: 'key', many: 'Keys' },
  routes: { one: 'route', many: 'Routes' },
  providers: { one: 'provider', many: 'Providers' },
  registry: { one: 'model', many: 'Registry' },
  workspaces: { one: 'workspace', many: 'Workspaces' },
  'admin-keys': { one: 'admin key', many: 'Admin keys' },
  sessions: { one: 'session', many: 'Sign-ins' },
  people: { one: 'person', many: 'People' },
  invites: { one: 'invitation', many: 'Invitations' },
  'sign-ins': { one: 'sign-in', many: 'Refused sign-ins' },
  secrets: { one: 'secrets', many: 'Secrets' },
  requests: { one: 'request', many: 'Stored content' },
  'alert-rules': { one: 'alert rule', many: 'Alert rules' },
  'alert-channels': { one: 'alert channel', many: 'Alert channels' },
  nodes: { one: 'node', many: 'Nodes' },
}

/** Who acts besides people and admin keys. */
export const OTHER_ACTORS: Record<string, string> = {
  config: 'switchyard.yaml',
  environment: 'the environment',
}

export function actorOf(actor: string, name: string): string {
  return OTHER_ACTORS[actor] ?? name
}

/** What people call it: a key has an id that says nothing, and a name. */
export function nameIn(resource: string, before: unknown, after: unknown): string {
  const { kind, id } = resourceOf(resource)
  const shown = (after ?? before ?? {}) as Record<string, unknown>
  const named = (...fields: string[]) => fields.map((field) => shown[field]).find((each) => typeof each === 'string')
  if (['keys', 'admin-keys', 'alert-channels', 'nodes'].includes(kind)) return named('name') ?? id
  if (kind === 'sessions') return named('key_name', 'person_name') ?? id
  if (kind === 'people' || kind === 'invites') return named('email', 'name') ?? id
  if (resource === 'registry') return 'price list'
  return id === '' ? kind : id
}

/** Its page in the dashboard, as parts below the workspace; null if it has none. */
export function placeOf(resource: string): string[] | null {
  const { kind, id } = resourceOf(resource)
  switch (kind) {
    case 'keys':
    case 'routes':
    case 'providers':
    case 'requests':
      return [kind, id]
    case 'registry': {
      const slash = id.indexOf('/')
      return slash === -1 ? [kind] : [kind, id.slice(0, slash), id.slice(slash + 1)]
    }
    case 'workspaces':
    case 'admin-keys':
    case 'sessions':
      return ['settings', kind]
    case 'alert-rules':
    case 'alert-channels':
      return ['alerts']
    default:
      return null
  }
}

const VERBS: Record<string, string> = {
  create: 'created',
  update: 'changed',
  delete: 'deleted',
  revoke: 'revoked',
  rotate: 'rotated',
  pause: 'paused',
  resume: 'resumed',
  restore: 'restored',
  forget: 'removed',
  withdraw: 'withdrew',
  remove: 'removed',
  'price-percent': 'changed the price limit of',
  'purge-cache': 'purged the cache of',
  'end-sessions': 'ended the sessions of',
  'revoke-value': 'revoked a value of',
  import: 'imported',
  end: 'ended',
  refuse: 'was refused',
  try: 'tested',
  content: 'read the content of',
  'delete-content': 'deleted the content of',
  'guardrail-secret': 'read the guardrail secret of',
}

/** `keys.create` → "created". A put, or a file that was applied, says by what was there before. */
export function verbOf(action: string, before: unknown, after: unknown): string {
  if (action === 'sessions.create') return 'signed in'
  if (action === 'sessions.end') return 'signed out'
  const name = action.slice(action.indexOf('.') + 1)
  if (name === 'put' || name === 'apply')
    return isNothing(before) ? 'created' : isNothing(after) ? 'deleted' : 'changed'
  return VERBS[name] ?? name.replaceAll('-', ' ')
}

function isNothing(value: unknown): boolean {
  return value === null || value === undefined
}
