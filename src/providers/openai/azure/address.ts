import type { Dialect } from '../dialect/dialect.ts'

/** Paths that name a deployment; the others have the model in their body. */
const OF_DEPLOYMENTS: ReadonlySet<string> = new Set([
  ...['/chat/completions', '/embeddings', '/images/generations', '/images/edits'],
])

/**
 * The address under a resource of Azure, however much of the path its base URL has: the newer one ends in
 * `/openai/v1`, the dated one names the deployment. Null: another server.
 */
export function azurePath(base: string, path: string, model: string | null, dialect: Dialect): string | null {
  const { options, vendor } = dialect
  const isDated = options.path_style === 'azure_deployment'
  if (!isDated && vendor.isAzure !== true) return null
  const root = base.replace(/\/openai(\/v1)?$/, '')
  if (!isDated) return `${root}/openai/v1${path}`
  if (model === null || !OF_DEPLOYMENTS.has(path)) return `${root}/openai${path}`
  return `${root}/openai/deployments/${encodeURIComponent(model)}${path}`
}
