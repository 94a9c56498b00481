import type { ContentSettings } from '../domain/content/settings.ts'
import type { Secrets } from '../store/engine/secrets.ts'

const NO_KEY =
  'needs SECRETS_KEY, which encrypts it: set it in the environment of the gateway (openssl rand -hex 32 makes one) and restart'

/** Why content cannot be stored this way; null: it can. */
export async function contentProblem(
  settings: ContentSettings | null | undefined,
  { contentKeys }: Pick<Secrets, 'contentKeys'>,
): Promise<string | null> {
  if (settings === null || settings === undefined) return null
  if (contentKeys.length === 0) return NO_KEY
  if (settings.patterns.length === 0) return null
  // Loaded on demand: most installations have no patterns.
  const { patternsProblem } = await import('./own-patterns.ts')
  return patternsProblem(settings.patterns)
}
