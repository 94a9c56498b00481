import { TOKEN_CLASSES } from '../pricing/classes.ts'

/** The settings of a resource that its history can bring back, by the kind of resource; everything else is state. */
const SETTINGS: Readonly<Record<string, readonly string[]>> = {
  routes: ['description', 'chain', 'interchangeable', 'compaction', 'prompt_cache', 'cache', 'defaults', 'shared'],
  keys: ['name', 'expires_at', 'allowed_models', 'limits', 'note'],
  providers: [
    ...['family', 'base_url', 'headers', 'preset', 'settings', 'credentials', 'proxy', 'ca'],
    ...['on_caller_left', 'on_estimate', 'speaks', 'passthrough'],
  ],
  workspaces: ['description', 'limits', 'streaming', 'content', 'guardrail', 'direct_models', 'resale', 'loops'],
  registry: [
    ...['mode', ...TOKEN_CLASSES.map(({ price }) => price), 'tiers', 'context_window', 'max_input_tokens'],
    ...['max_output_tokens', 'capabilities', 'efforts', 'deprecated', 'shutdown_date', 'aliases', 'note'],
  ],
}

/** The part of a recorded state that a restore writes; null where there is nothing to restore. */
export function restorableSettings(resource: string, state: unknown): Record<string, unknown> | null {
  const fields = SETTINGS[resource.split('/', 1)[0] ?? '']
  if (fields === undefined || !resource.includes('/') || typeof state !== 'object' || state === null) return null
  const given = state as Record<string, unknown>
  return Object.fromEntries(fields.filter((field) => field in given).map((field) => [field, given[field]]))
}
